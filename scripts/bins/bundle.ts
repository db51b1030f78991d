import { isBuiltin } from "node:module";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildMessage, Bun, type BunPlugin } from "./bun-api.js";
import { EVALUATOR, evaluatorApart, evaluatorItself } from "./evaluator.js";
import { apart, isLibrary, type Libraries, libraryFile } from "./libraries.js";
import { ownSources } from "./own-sources.js";
import { entriesOf, roadsOf, separate } from "./roads.js";

/** The first line of every file for Node.js. */
export const BANNER = "// uwf: made by build:bins";

/** The files of one package's binaries, as CommonJS. */
export type Bundle = {
  /** File name → text, e.g. `uwf.js`, `main-step.js`, `library-yaml.js`. */
  readonly files: ReadonlyMap<string, string>;
  readonly entries: readonly string[];
};

/** Makes one file out of a source; `plugins` say where its imports lead. */
export type Make = (source: string, name: string, plugins: readonly BunPlugin[]) => Promise<void>;

/**
 * Bundles the binaries of one package from the TypeScript sources, everything included. What a binary's first file
 * loads lazily, and the libraries that only some commands need, are files of their own beside it. CommonJS: Node.js loads it synchronously, and starts 5 ms faster
 * when it need not start its loader of ES modules (which also loads all of node:stream for the names of node:fs); bun
 * makes bytecode of nothing else. Throws with what the bundler said.
 */
export async function bundle(sources: readonly string[], packages: string): Promise<Bundle> {
  const files = new Map<string, string>();
  await makeAll(sources, packages, async (source, name, plugins) => {
    files.set(name, await bundleOne(source, name, plugins));
  });
  for (const [name, text] of files) assertSelfContained(name, text, files);
  return { files, entries: sources.map(fileOf) };
}

/** Every file that the binaries need, each made once. */
export async function makeAll(sources: readonly string[], packages: string, make: Make): Promise<void> {
  const roads = sources.flatMap(roadsOf);
  const used: Libraries = new Map();
  const evaluators = new Set<string>();
  const isSibling = (name: string): boolean =>
    isBuiltin(name) || isLibrary(name) || roads.some(({ specifier }) => specifier === name);
  const own = [apart(used), ownSources(packages, isSibling)];
  const plugins = [separate(roads), evaluatorApart(evaluators), ...own];
  for (const entry of entriesOf(sources, roads)) await make(entry, fileOf(entry), plugins);
  for (const source of evaluators) await make(source, EVALUATOR, [evaluatorItself(isSibling), ...own]);
  for (const [specifier, file] of used) await make(file, libraryFile(specifier), []);
}

function fileOf(source: string): string {
  return basename(source).replace(/\.ts$/, ".js");
}

async function bundleOne(source: string, name: string, plugins: readonly BunPlugin[]): Promise<string> {
  const built = await Bun.build({ ...SHARED, entrypoints: [source], target: "node", plugins });
  if (!built.success) throw new Error(explain(built.logs));
  const [output] = built.outputs;
  // A `#!` line of a source would stand above the banner; nobody executes these files directly.
  const text = asciiOnly((await output?.text())?.replace(/^#!.*\n/, "") ?? "");
  assertNoPaths(name, text);
  return `${BANNER}\n${text}`;
}

/** What both runtimes' bundles have in common. */
export const SHARED = {
  format: "cjs",
  minify: true,
  conditions: ["uwf-source"],
  // Otherwise bun writes down where the source lies on this machine, for `__dirname` too.
  define: { "import.meta.dirname": "module.path", "import.meta.filename": "module.filename" },
  throw: false,
} as const;

/**
 * bun takes a file with its banner for Latin-1 and would print `Â·` for `·`. Outside of strings, templates and regular
 * expressions, where the escape means the same, minified code has no such characters.
 */
function asciiOnly(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function describe({ message, position }: BuildMessage): string {
  return position === null ? message : `${position.file}:${position.line}:${position.column} ${message}`;
}

/** What bun says of a top-level `await` is what is left of the file without its meaning. */
export function explain(logs: readonly BuildMessage[]): string {
  const awaits = logs.filter(({ message }) => /"await".*\basync\b.*function/.test(message));
  if (awaits.length === 0) return logs.map(describe).join("\n");
  const message = "`await` outside of a function: the bundles are CommonJS, which cannot wait; use .then()";
  return awaits.map(({ position }) => describe({ message, position })).join("\n");
}

/** bun leaves an import that it cannot resolve inside of `try` as it is; on the user's machine it would fail. */
function assertSelfContained(name: string, text: string, files: Bundle["files"]): void {
  const imports = new Bun.Transpiler({ loader: "js" }).scanImports(text);
  const foreign = imports
    .map(({ path }) => path)
    .filter((path) => !files.has(path.replace("./", "")) && !isBuiltin(path));
  if (foreign.length > 0) throw new Error(`${name} still imports ${foreign.join(", ")}`);
}

/** The bundle runs where it is installed: no path of the machine that built it may be in it. */
export function assertNoPaths(name: string, content: string | Buffer): void {
  const here = [process.cwd(), pathToFileURL(process.cwd()).href];
  if (here.some((path) => content.includes(path))) {
    throw new Error(
      `${name} holds a path of this machine; of import.meta only dirname and filename can be used in it`,
    );
  }
}
