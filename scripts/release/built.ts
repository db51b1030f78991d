import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Manifest, type Member, membersInOrder } from "./workspace.js";

/**
 * Packages whose dist/ is missing or was compiled from other sources, as sentences. `tsc --build` touches its
 * .tsbuildinfo even when nothing had to be written.
 */
export function uncompiled(root: string): readonly string[] {
  return membersInOrder(root).flatMap((member) => {
    const dist = `packages/${member.folder}/dist`;
    const info = join(root, dist, ".tsbuildinfo");
    if (!existsSync(info)) return [`${dist} is missing`];
    return olderThan(dist, statSync(info).mtimeMs, [member]);
  });
}

/**
 * Bundles that are missing or were built from other sources, as sentences. A bundle holds the sources of all
 * packages that its own depends on.
 */
export function unbuiltBins(root: string): readonly string[] {
  const members = membersInOrder(root);
  return members.flatMap((member) =>
    bundlesOf(member.manifest).flatMap((file) => {
      const bundle = `packages/${member.folder}/${file}`;
      if (!existsSync(join(root, bundle))) return [`${bundle} is missing`];
      const builtAt = statSync(join(root, bundle)).mtimeMs;
      return olderThan(bundle, builtAt, [member, ...dependenciesOf(member, members)]);
    }),
  );
}

/** What a launcher needs: the bundle for Node.js, and the one for bun with its bytecode. */
export function bundlesOf({ bin }: Manifest): readonly string[] {
  return Object.keys(bin ?? {}).flatMap((name) => [
    `dist/bin/${name}.js`,
    `dist/bun/${name}.js`,
    `dist/bun/${name}.js.jsc`,
  ]);
}

function olderThan(what: string, builtAt: number, members: readonly Member[]): readonly string[] {
  const source = newestSource(members);
  return source !== null && source.mtimeMs > builtAt ? [`${what} is older than ${source.path}`] : [];
}

function dependenciesOf(member: Member, members: readonly Member[]): readonly Member[] {
  const found = new Set<Member>();
  const open = [member];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { dependencies, devDependencies } = next.manifest;
    const bundled = { ...dependencies, ...devDependencies };
    for (const other of members) {
      if (found.has(other) || !Object.hasOwn(bundled, other.manifest.name)) continue;
      found.add(other);
      open.push(other);
    }
  }
  return [...found];
}

function newestSource(members: readonly Member[]) {
  const files = members.flatMap(({ folder, dir }) =>
    listFiles(join(dir, "src")).map((file) => ({
      path: `packages/${folder}/src/${file}`,
      mtimeMs: statSync(join(dir, "src", file)).mtimeMs,
    })),
  );
  return files.reduce<(typeof files)[number] | null>(
    (newest, file) => (newest === null || file.mtimeMs > newest.mtimeMs ? file : newest),
    null,
  );
}

/** Files below a folder, relative to it; none when it is absent. */
export function listFiles(dir: string): readonly string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? listFiles(join(dir, entry.name)).map((file) => `${entry.name}/${file}`)
      : [entry.name],
  );
}
