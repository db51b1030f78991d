import { readFileSync } from "node:fs";
import type { BunPlugin } from "./bun-api.js";

// A lazy `import()` of a file beside it would start the loader of ES modules, on bun a thread. Both files are CommonJS,
// so it becomes a `require` that happens as late; what comes back looks like a module.

/** Not the `typeof import("yaml")` of a type. */
const IMPORT = /(?<!typeof )\bimport\((["'])([^"']+)\1\)/g;

/** What `import()` of a CommonJS file gives: its exports, and the whole as `default`. */
const NAMESPACE = [
  "function siblingNamespace(exported: any): any {",
  "  if (exported?.__esModule) return exported;",
  "  return Object.assign(Object.create(null), exported, { default: exported });",
  "}",
].join("\n");

/** The source text with the lazy imports that `isSibling` is about as lazy `require`s. */
export function requireSiblings(source: string, isSibling: (specifier: string) => boolean): string {
  const replaced = source.replace(IMPORT, (whole, quote, specifier) =>
    isSibling(specifier)
      ? `Promise.resolve().then(() => siblingNamespace(require(${quote}${specifier}${quote})))`
      : whole,
  );
  return replaced === source ? source : `${replaced}\n${NAMESPACE}\n`;
}

/** Our own sources, with lazy imports of what has a file of its own as `require`. */
export function ownSources(isSibling: (specifier: string) => boolean): BunPlugin {
  return {
    name: "own-sources",
    setup: ({ onLoad }) =>
      onLoad({ filter: /^(?!.*\/node_modules\/).*\.[tj]s$/ }, ({ path }) => ({
        loader: "ts",
        contents: requireSiblings(readFileSync(path, "utf8"), isSibling),
      })),
  };
}
