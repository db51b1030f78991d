import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { membersInOrder } from "./workspace.mjs";

/** @typedef {import("./workspace.mjs").Member} Member */

/**
 * Packages whose dist/ is missing or was compiled from other sources, as sentences. `tsc --build` touches its
 * .tsbuildinfo even when nothing had to be written.
 * @param {string} root
 * @returns {readonly string[]}
 */
export function uncompiled(root) {
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
 * @param {string} root
 * @returns {readonly string[]}
 */
export function unbuiltBins(root) {
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

/**
 * What a launcher needs: the bundle for Node.js, and the one for bun with its bytecode.
 * @param {import("./workspace.mjs").Manifest} manifest
 * @returns {readonly string[]}
 */
export function bundlesOf({ bin }) {
  return Object.keys(bin ?? {}).flatMap((name) => [
    `dist/bin/${name}.js`,
    `dist/bun/${name}.js`,
    `dist/bun/${name}.js.jsc`,
  ]);
}

/**
 * @param {string} what
 * @param {number} builtAt
 * @param {readonly Member[]} members
 * @returns {readonly string[]}
 */
function olderThan(what, builtAt, members) {
  const source = newestSource(members);
  return source !== null && source.mtimeMs > builtAt ? [`${what} is older than ${source.path}`] : [];
}

/**
 * @param {Member} member
 * @param {readonly Member[]} members
 * @returns {readonly Member[]}
 */
function dependenciesOf(member, members) {
  /** @type {Set<Member>} */
  const found = new Set();
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

/**
 * @param {readonly Member[]} members
 * @returns {{ readonly path: string, readonly mtimeMs: number } | null}
 */
function newestSource(members) {
  const files = members.flatMap(({ folder, dir }) =>
    listFiles(join(dir, "src")).map((file) => ({
      path: `packages/${folder}/src/${file}`,
      mtimeMs: statSync(join(dir, "src", file)).mtimeMs,
    })),
  );
  return files.reduce((/** @type {typeof files[number] | null} */ newest, file) => {
    return newest === null || file.mtimeMs > newest.mtimeMs ? file : newest;
  }, null);
}

/**
 * Files below a folder, relative to it; none when it is absent.
 * @param {string} dir
 * @returns {readonly string[]}
 */
export function listFiles(dir) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? listFiles(join(dir, entry.name)).map((file) => `${entry.name}/${file}`)
      : [entry.name],
  );
}
