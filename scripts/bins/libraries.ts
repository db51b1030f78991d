import { dirname } from "node:path";
import { Bun, type BunPlugin } from "./bun-api.js";

// Libraries that only some commands need stand in files of their own beside the bundles: a process reads
// what it needs, when it needs it, and several bundles share one copy.

/** Bare specifiers; each is `require`d where the module that imports it is evaluated. */
const APART: ReadonlySet<string> = new Set([
  "@clack/prompts",
  "commander",
  "dotenv",
  "jsonata",
  "re2js",
  "typebox/format",
  "yaml",
]);

export function isLibrary(specifier: string): boolean {
  return APART.has(specifier);
}

/** Specifier → the module's own file. */
export type Libraries = Map<string, string>;

/** Leaves the libraries out of a bundle and notes in `used` which ones it wants. */
export function apart(used: Libraries): BunPlugin {
  return {
    name: "libraries",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^[^./]/ }, ({ path, importer }) => {
        if (!APART.has(path)) return undefined;
        used.set(path, Bun.resolveSync(path, dirname(importer)));
        return { path: `./${libraryFile(path)}`, external: true };
      }),
  };
}

/** `library-typebox-format.js` */
export function libraryFile(specifier: string): string {
  return `library-${specifier.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-/, "")}.js`;
}
