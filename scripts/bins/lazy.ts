import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Bun, type BunPlugin } from "./bun-api.js";

// What a binary's first file loads lazily is bundled into a file of its own. Bundled together, what one of them loads
// lazily would be lazy in all of them, and a plain step would be read in a hundred pieces.

/** A module that a binary's first file loads lazily. */
export type LazyModule = { readonly from: string; readonly specifier: string; readonly source: string };

export function lazyModulesOf(from: string): readonly LazyModule[] {
  const code = readFileSync(from, "utf8").replace(/^#!.*\n/, "");
  const imports = new Bun.Transpiler({ loader: "ts" }).scanImports(code);
  return imports
    .filter(({ kind, path }) => kind === "dynamic-import" && path.startsWith("."))
    .map(({ path }) => ({ from, specifier: path, source: join(dirname(from), path.replace(/js$/, "ts")) }));
}

/** The binaries' files and those that they load lazily, each once. Throws when two would have one name. */
export function entriesOf(sources: readonly string[], lazy: readonly LazyModule[]): readonly string[] {
  const entries = [...new Set([...sources, ...lazy.map((module) => module.source)])];
  const names = entries.map((entry) => basename(entry));
  const double = names.find((name, index) => names.indexOf(name) !== index);
  if (double === undefined) return entries;
  throw new Error(
    `two files are called ${double.replace(/ts$/, "js")}: in the folder of bundles each needs a name of its own`,
  );
}

/** Leaves lazily loaded files out of those that load them. */
export function separate(lazy: readonly LazyModule[]): BunPlugin {
  return {
    name: "separate",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\.\.?\// }, ({ path, importer }) => {
        const module = lazy.find(({ from, specifier }) => from === importer && specifier === path);
        return module === undefined ? undefined : { path: `./${basename(path)}`, external: true };
      }),
  };
}
