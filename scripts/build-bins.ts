import { readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

// Bundles every packages/*/src/bin/<name>.ts into dist/bin/<name>.js, which the launcher bin/<name> imports.
// `// @bun` as the first line keeps bun from transpiling (and caching in HOME) what is already plain JavaScript.

const root = resolve(import.meta.dirname, "..");
const packages = join(root, "packages");

async function buildBins(packageDir: string): Promise<void> {
  const sources = join(packageDir, "src", "bin");
  const names = listOrNone(sources).filter((file) => file.endsWith(".ts"));
  if (names.length === 0) return;
  const outdir = join(packageDir, "dist", "bin");
  rmSync(outdir, { recursive: true, force: true });
  const built = await Bun.build({
    entrypoints: names.map((name) => join(sources, name)),
    outdir,
    target: "node",
    format: "esm",
    splitting: true,
    minify: true,
    banner: "// @bun",
    conditions: ["uwf-source"],
    naming: { entry: "[name].[ext]", chunk: "chunk-[hash].[ext]" },
  });
  if (!built.success) throw new AggregateError(built.logs, `cannot bundle ${packageDir}`);
}

function listOrNone(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

for (const name of readdirSync(packages)) await buildBins(join(packages, name));
