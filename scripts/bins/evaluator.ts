import { readFileSync } from "node:fs";
import type { BunPlugin } from "./bun-api.js";
import { requireSiblings } from "./siblings.js";

/** The file that the moderator's evaluator process runs. */
export const EVALUATOR = "evaluator.js";

const SOURCE = /\/workflow-moderator\/src\/engine\/serve\.js$/;

/** Leaves the evaluator out of a bundle, which then only knows where it is; notes its source in `found`. */
export function evaluatorApart(found: Set<string>): BunPlugin {
  const contents = [
    'import { join } from "node:path";',
    'import { pathToFileURL } from "node:url";',
    `export const evaluator = { url: pathToFileURL(join(import.meta.dirname, "${EVALUATOR}")).href };`,
  ].join("\n");
  return {
    name: "evaluator-apart",
    setup: ({ onLoad }) =>
      onLoad({ filter: SOURCE }, ({ path }) => {
        found.add(path);
        return { loader: "ts", contents };
      }),
  };
}

/** The evaluator in its own file need not know where that is. */
export function evaluatorItself(isSibling: (specifier: string) => boolean): BunPlugin {
  return {
    name: "evaluator",
    setup: ({ onLoad }) =>
      onLoad({ filter: SOURCE }, ({ path }) => ({
        loader: "ts",
        contents: requireSiblings(readFileSync(path, "utf8"), isSibling).replace("import.meta.url", '""'),
      })),
  };
}
