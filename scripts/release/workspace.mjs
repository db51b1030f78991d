import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {object} Manifest
 * @property {string} name
 * @property {string} version
 * @property {boolean} [private]
 * @property {Record<string, string>} [bin]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [devDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, Record<string, string> | string>} [exports]
 */

/** @typedef {{ readonly folder: string, readonly dir: string, readonly manifest: Manifest }} Member */

/**
 * The packages that are published, each after those it depends on, else by folder name.
 * @param {string} root
 * @returns {readonly Member[]}
 */
export function membersInOrder(root) {
  const members = readdirSync(join(root, "packages"))
    .sort()
    .map((folder) => ({ folder, dir: join(root, "packages", folder) }))
    .filter(({ dir }) => existsSync(join(dir, "package.json")))
    .map((one) => ({ ...one, manifest: readManifest(join(one.dir, "package.json")) }))
    .filter(({ manifest }) => manifest.private !== true);
  return inDependencyOrder(members);
}

/**
 * @param {string} file
 * @returns {Manifest}
 */
export function readManifest(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

/**
 * @param {readonly Member[]} members
 * @returns {readonly Member[]}
 */
function inDependencyOrder(members) {
  const byName = new Map(members.map((member) => [member.manifest.name, member]));
  /** @type {Set<Member>} */
  const done = new Set();
  /** @type {(member: Member, above: readonly string[]) => void} */
  const visit = (member, above) => {
    const { name, dependencies } = member.manifest;
    if (above.includes(name))
      throw new Error(`packages depend on each other: ${[...above, name].join(" → ")}`);
    if (done.has(member)) return;
    for (const dependency of Object.keys(dependencies ?? {}).sort()) {
      const next = byName.get(dependency);
      if (next !== undefined) visit(next, [...above, name]);
    }
    done.add(member);
  };
  for (const member of members) visit(member, []);
  return [...done];
}
