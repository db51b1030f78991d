import { isBuiltin } from "node:module";
import { basename } from "node:path";
import { type BuildMessage, Bun, type BunPlugin } from "./bun-api.js";
import { pastIndex } from "./past-index.js";
import { entriesOf, roadsOf, separate } from "./roads.js";

/** The first line of every file; tells bun that there is nothing to transpile (and to cache in HOME). */
export const BANNER = "// @bun";

export type Bundle = {
  /** File name → text, e.g. `uwf.js`, `chunk-4ejq1h2z.js`. */
  readonly files: ReadonlyMap<string, string>;
  readonly entries: readonly string[];
};

/**
 * Bundles the binaries of one package from the TypeScript sources, everything included. A lazy `import()` stays
 * a file of its own, so a command loads only what it needs. Throws with what the bundler said.
 */
export async function bundle(sources: readonly string[], packages: string): Promise<Bundle> {
  const roads = sources.flatMap(roadsOf);
  const plugins = [separate(roads), pastIndex(packages)];
  const files = new Map<string, string>();
  for (const entry of entriesOf(sources, roads)) {
    for (const [name, text] of await bundleOne(entry, plugins)) {
      if ((files.get(name) ?? text) !== text) throw new Error(`${name} is the name of two different files`);
      files.set(name, text);
    }
  }
  for (const [name, text] of files) {
    assertBanner(name, text);
    assertSelfContained(name, text);
  }
  return { files, entries: sources.map((source) => basename(source).replace(/ts$/, "js")) };
}

async function bundleOne(
  entry: string,
  plugins: readonly BunPlugin[],
): Promise<readonly (readonly [string, string])[]> {
  const built = await Bun.build({
    entrypoints: [entry],
    // One bundle for both runtimes: as fast as `bun` on bun, and `bun` breaks node on CommonJS dependencies.
    target: "node",
    format: "esm",
    splitting: true,
    minify: true,
    banner: BANNER,
    conditions: ["uwf-source"],
    plugins,
    naming: { entry: "[name].[ext]", chunk: "chunk-[hash].[ext]" },
    throw: false,
  });
  if (!built.success) throw new Error(built.logs.map(describe).join("\n"));
  // A `#!` line of a source would stand above the banner; nobody executes these files directly.
  return Promise.all(
    built.outputs.map(
      async (output) =>
        [basename(output.path), asciiOnly((await output.text()).replace(/^#!.*\n/, ""))] as const,
    ),
  );
}

/**
 * bun takes a file with its banner for Latin-1 and would print `Â·` for `·`. Outside of strings, templates and regular
 * expressions, where the escape means the same, minified code has no such characters.
 */
function asciiOnly(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

export function describe({ message, position }: BuildMessage): string {
  return position === null ? message : `${position.file}:${position.line}:${position.column} ${message}`;
}

/** bun leaves an import that it cannot resolve inside of `try` as it is; on the user's machine it would fail. */
function assertSelfContained(name: string, text: string): void {
  const imports = new Bun.Transpiler({ loader: "js" }).scanImports(text);
  const foreign = imports
    .map(({ path }) => path)
    .filter((path) => !path.startsWith("./") && !isBuiltin(path));
  if (foreign.length > 0) throw new Error(`${name} still imports ${foreign.join(", ")}`);
}

function assertBanner(name: string, text: string): void {
  if (!text.startsWith(`${BANNER}\n`)) throw new Error(`${name} does not start with the line ${BANNER}`);
}
