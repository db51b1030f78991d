import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ENV, VARIABLES } from "../../packages/workflow-protocol/src/environment.js";
import type { BunPlugin } from "./bun-api.js";

// A lazy `import()` of a file beside it would start the loader of ES modules, on bun a thread. Both files are CommonJS,
// so it becomes a `require` that happens as late; what comes back looks like a module.

/** Not the `typeof import("yaml")` of a type. */
const IMPORT = /(?<!typeof )\bimport\((["'])([^"']+)\1\)/g;

/** What `import()` of a CommonJS file gives: its exports, and the whole as `default`. */
const NAMESPACE = [
  "function siblingNamespace(exported: any): any {",
  "  if (exported && exported.__esModule) return exported;",
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

/**
 * The source text with its lazy imports of our own files as imports at the top. All that a lazy import leads to, here nearly
 * every module, bun wraps in functions that run it when it is first imported.
 */
export function importAtTop(source: string): string {
  const imports: string[] = [];
  const replaced = source.replace(IMPORT, (whole, quote, specifier) => {
    // A library stays late: it may be absent, or read half of Node.js.
    if (!specifier.startsWith(".")) return whole;
    const name = `importedAtTop${imports.length}`;
    imports.push(`import * as ${name} from ${quote}${specifier}${quote};\n`);
    return `Promise.resolve(${name})`;
  });
  return `${imports.join("")}${replaced}`;
}

/** Where failures have their texts. */
const TABLE_OF_FAULTS = /\/workflow-protocol\/src\/faults\/table\.ts$/;

/** The table of failures without the lines that say when each is met: only pages of help and documents do, and read the source. */
export function withoutWhens(source: string): string {
  return source.replace(/^ {4,}when:\s+"(?:[^"\\]|\\.)*",\n/gm, "");
}

/** Where environment variables have their names and texts. */
const TABLE_OF_VARIABLES = /\/workflow-protocol\/src\/environment\.ts$/;

/** The table of variables as two plain objects, without what each does: the first file of every binary reads a name of it. */
export function withoutDoes(): string {
  const rows = Object.entries(VARIABLES).map(([key, { does: _, ...row }]) => [key, row] as const);
  return `export const ENV = ${JSON.stringify(ENV)};\nexport const VARIABLES = ${JSON.stringify(Object.fromEntries(rows))};\n`;
}

function textOf(path: string): string {
  if (TABLE_OF_VARIABLES.test(path)) return withoutDoes();
  const text = readFileSync(path, "utf8");
  return TABLE_OF_FAULTS.test(path) ? withoutWhens(text) : withNames(path, text);
}

/** Of `export *` the bundler takes all that it leads to; the first file of every binary needs three names. */
function withNames(path: string, text: string): string {
  return text.replace(/^export \* from "(\..+)\.js";$/gm, (_, file: string) => {
    const values = valuesOf(join(dirname(path), `${file}.ts`));
    return values.length === 0 ? "" : `export { ${values.join(", ")} } from "${file}.js";`;
  });
}

function valuesOf(file: string): readonly string[] {
  const text = withNames(file, readFileSync(file, "utf8"));
  const lists = [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, names = ""]) => names.split(","));
  const own = [...text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)];
  return [...own.map(([, name = ""]) => name), ...lists.map((name) => name.trim())].filter(
    (name) => name !== "" && !name.startsWith("type "),
  );
}

/**
 * Our own sources, with lazy imports of what has a file of its own as `require`, and of a file that `isFlat` is about with all
 * others at the top.
 */
export function ownSources(
  isSibling: (specifier: string) => boolean,
  isFlat: (file: string) => boolean,
): BunPlugin {
  return {
    name: "own-sources",
    setup: ({ onLoad }) =>
      onLoad({ filter: /^(?!.*\/node_modules\/).*\.[tj]s$/ }, ({ path }) => {
        const contents = requireSiblings(textOf(path), isSibling);
        return { loader: "ts", contents: isFlat(path) ? importAtTop(contents) : contents };
      }),
  };
}
