import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

// bun scripts/sweep-dist.ts [root], a part of `bun run build`: deletes from packages/*/dist what was compiled from
// sources that are gone. `tsc --build` leaves it there, and it would be published. dist/bin and dist/bun
// are build-bins' own.

const root = resolve(process.argv[2] ?? resolve(import.meta.dirname, ".."));

for (const folder of readdirSync(join(root, "packages"))) {
  const dir = join(root, "packages", folder);
  for (const file of filesBelow(join(dir, "dist"))) {
    const [, name] = /^(?!bin\/|bun\/)(.+?)\.(?:js|d\.ts)(?:\.map)?$/.exec(file) ?? [];
    if (name !== undefined && !hasSource(join(dir, "src", name))) rmSync(join(dir, "dist", file));
  }
}

function hasSource(path: string): boolean {
  return [".ts", ".js"].some((extension) => existsSync(`${path}${extension}`));
}

function filesBelow(dir: string): readonly string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? filesBelow(join(dir, entry.name)).map((file) => `${entry.name}/${file}`)
      : [entry.name],
  );
}
