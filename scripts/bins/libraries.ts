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

/** Nothing but functions, so that each can wait for its first call before the file is read. */
const FUNCTIONS: ReadonlySet<string> = new Set(["typebox/format"]);

/** Where the stand-ins for these are made. */
const STAND_IN = "stand-in";

/** Leaves the libraries out of a bundle and notes in `used` which ones it wants. */
export function apart(used: Libraries): BunPlugin {
  return {
    name: "libraries",
    setup: ({ onLoad, onResolve }) => {
      onResolve({ filter: /^[^./]/ }, ({ path, importer }) => {
        if (!APART.has(path)) return undefined;
        if (FUNCTIONS.has(path)) return { path: fileOf(path, importer, used), namespace: STAND_IN };
        fileOf(path, importer, used);
        return { path: `./${libraryFile(path)}`, external: true };
      });
      onResolve({ filter: /^\.\/library-/ }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /./, namespace: STAND_IN }, async ({ path }) => ({
        loader: "ts",
        contents: await standInFor(path, used),
      }));
    },
  };
}

function fileOf(specifier: string, importer: string, used: Libraries): string {
  const file = Bun.resolveSync(specifier, dirname(importer));
  used.set(specifier, file);
  return file;
}

async function standInFor(file: string, used: Libraries): Promise<string> {
  const specifier = [...used].find(([, known]) => known === file)?.[0] ?? "";
  const names = Object.keys((await import(file)) as object).filter((name) => name !== "default");
  const functions = names.map(
    (name) => `export const ${name} = (...given: any) => load().${name}(...given);`,
  );
  return [`const load = (): any => require("./${libraryFile(specifier)}");`, ...functions].join("\n");
}

export function isLibraryFile(name: string): boolean {
  return name.startsWith("library-");
}

/** `library-typebox-format.js` */
export function libraryFile(specifier: string): string {
  return `library-${specifier.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-/, "")}.js`;
}
