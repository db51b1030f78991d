import { dirname, join } from "node:path";
import { Bun, type BunPlugin } from "./bun-api.js";

// Libraries that only some commands need are in files of their own beside the bundles: a process reads what it needs,
// when it first uses it, and several bundles share one copy.

/** Bare specifiers. */
const APART: ReadonlySet<string> = new Set([
  "@clack/prompts",
  "@dagrejs/dagre",
  "@uncaged/workflow-report",
  "commander",
  "diff",
  "docxtemplater",
  "fast-string-width",
  "fast-wrap-ansi",
  "jsonata",
  "picocolors",
  "pizzip",
  "re2js",
  "typebox/format",
  "xxhash-wasm",
  "yaml",
]);

export const TOPICS = "@uncaged/cli-workflow/topics";

/**
 * Files of our own that stand apart in the same way, by the end of their path: the texts
 * of help, with the sentences about failures that other bundles leave out.
 */
const OWN_APART: ReadonlyMap<string, string> = new Map([[TOPICS, "cli-workflow/src/help/topics.ts"]]);

export function isLibrary(specifier: string): boolean {
  return APART.has(specifier);
}

/** Specifier → the module's own file. */
export type Libraries = Map<string, string>;

/** They have no names that a stand-in could have, and are imported lazily by hand. */
const ONE_FUNCTION: ReadonlySet<string> = new Set(["docxtemplater", "jsonata", "pizzip", "xxhash-wasm"]);

/** Where the stand-ins are made. */
const STAND_IN = "stand-in";

/** Leaves the libraries out of a bundle, which gets a stand-in for each, and notes in `used` which ones it wants. */
export function apart(used: Libraries): BunPlugin {
  return {
    name: "libraries",
    setup: ({ onLoad, onResolve }) => {
      onResolve({ filter: /^\.\.?\// }, ({ path, importer }) => {
        const own = ownApart(path, importer);
        if (own === null) return undefined;
        used.set(own, fileOf(own, importer));
        return { path: own, namespace: STAND_IN };
      });
      onResolve({ filter: /^[^./]/ }, ({ path, importer }) => {
        if (!APART.has(path)) return undefined;
        used.set(path, fileOf(path, importer));
        if (ONE_FUNCTION.has(path)) return { path: `./${libraryFile(path)}`, external: true };
        return { path, namespace: STAND_IN };
      });
      onResolve({ filter: /^\.\/library-/ }, ({ path }) => ({ path, external: true }));
      onLoad({ filter: /./, namespace: STAND_IN }, async ({ path }) => ({
        loader: "js",
        contents: await standInFor(path, used.get(path) ?? ""),
      }));
    },
  };
}

/** Of one of our own packages, its source; the build script has the condition under which that finds those of others. */
function fileOf(specifier: string, importer: string): string {
  const file = OWN_APART.get(specifier);
  if (file !== undefined) return join(PACKAGES, file);
  const [, own] = /^@uncaged\/(.+)$/.exec(specifier) ?? [];
  if (own === undefined) return Bun.resolveSync(specifier, dirname(importer));
  return join(PACKAGES, own, "src/index.ts");
}

const PACKAGES = join(import.meta.dirname, "../../packages");

/** The specifier of a file of our own that stands apart, if an import leads to it. */
function ownApart(path: string, importer: string): string | null {
  const source = join(dirname(importer), path.replace(/js$/, "ts"));
  for (const [specifier, file] of OWN_APART) if (source === join(PACKAGES, file)) return specifier;
  return null;
}

const CHILD_PROCESS = "node:child_process";

/**
 * Reads node:child_process when it is first used: commander imports it for subcommands that are programs of their own, which
 * uwf has none of, and Node.js reads its streams and node:net for it, 7 of 80 ms of every command.
 */
export const lateChildProcess: BunPlugin = {
  name: "late-child-process",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^(node:)?child_process$/ }, () => ({ path: CHILD_PROCESS, namespace: STAND_IN }));
    onLoad({ filter: /./, namespace: STAND_IN }, async ({ path }) => {
      const names = Object.keys((await import(path)) as object);
      return { loader: "js", contents: gettersOf(names, `process.getBuiltinModule("${path}")`) };
    });
  },
};

/** A module with the library's names, which reads the library's file when the first of them is used. */
async function standInFor(specifier: string, file: string): Promise<string> {
  const names = Object.keys((await import(file)) as object).filter((name) => name !== "default");
  const library = [
    "let own;",
    `function library() { return (own ??= require("./${libraryFile(specifier)}")); }`,
  ];
  // A function and nothing else.
  if (names.length === 0)
    return [...library, "export default (...given) => library().default(...given);"].join("\n");
  return [...library, gettersOf(names, "library()")].join("\n");
}

/** A module whose names are those of what `module` gives, which is asked when one of them is used. */
function gettersOf(names: readonly string[], module: string): string {
  const getters = names.map((name) => `get ${name}() { return ${module}.${name}; },`);
  return ["module.exports = {", "__esModule: true,", ...getters, "};"].join("\n");
}

export function isLibraryFile(name: string): boolean {
  return name.startsWith("library-");
}

/** `library-typebox-format.js` */
export function libraryFile(specifier: string): string {
  return `library-${specifier.replaceAll(/[^a-z0-9]+/g, "-").replace(/^-/, "")}.js`;
}
