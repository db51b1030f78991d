import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

// What is bundled is distributed, and nearly every licence asks that its text goes with it.

/** Stands beside the bundles. */
export const LICENSES = "THIRD-PARTY-LICENSES.txt";

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/**
 * The folder of the npm package that a source belongs to, `null` for one of our own.
 * @param source - a path of the bundler's, relative to the root of the tree
 */
export function packageOf(source: string): string | null {
  return PACKAGE.exec(source)?.[0] ?? null;
}

/**
 * Name, version and licence of each package, by name.
 * Throws when one has no file with its licence: then somebody has to find out under which terms it may be bundled.
 */
export function licensesOf(folders: Iterable<string>): string {
  const texts = [...folders].map((folder) => {
    type Manifest = { readonly name: string; readonly version: string; readonly license: string };
    const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying)(\.|-|$)/i.test(name));
    if (file === undefined) throw new Error(`${manifest.name} is bundled and has no file with its licence`);
    const { name, version, license } = manifest;
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
  });
  return [...new Set(texts)].sort().join(`\n${"=".repeat(80)}\n\n`);
}
