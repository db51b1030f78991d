import { isBuiltin } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildMessage, Bun, type BunPlugin } from "./bun-api.js";
import { compileWhole, isFlat } from "./eager.js";
import { EVALUATOR, evaluatorApart, evaluatorItself } from "./evaluator.js";
import { KIT_BUNDLE, kitApart, kitOf } from "./kit.js";
import { entriesOf, lazyModulesOf, separate } from "./lazy.js";
import { apart, isLibrary, type Libraries, lateChildProcess, libraryFile } from "./libraries.js";
import { LICENSES, licensesOf, packageOf } from "./licenses.js";
import { pageTexts, topicTexts } from "./pages.js";
import { ownSources } from "./siblings.js";

/** The first line of every file for Node.js. */
export const BANNER = "// uwf: made by build:bins";

/** The files of one package's binaries, as CommonJS. */
export type Bundle = {
  /** File name → text, e.g. `uwf.js`, `main-step.js`, `library-yaml.js`; and the licences of what is in them. */
  readonly files: ReadonlyMap<string, string>;
  readonly entries: readonly string[];
};

/** Makes one file out of a source; `plugins` say where its imports lead. */
export type Make = (source: string, name: string, plugins: readonly BunPlugin[]) => Promise<void>;

/** A package's folder, and the sources of its binaries. */
export type Binaries = { readonly dir: string; readonly sources: readonly string[] };

/**
 * Bundles the binaries of one package from the TypeScript sources. What a binary's first file loads lazily, the
 * libraries that only some commands need, and the kit of agents are files of their own. CommonJS: Node.js loads it
 * synchronously, and starts 5 ms faster when it need not start its loader of ES modules (which also loads all of
 * node:stream for the names of node:fs); bun makes bytecode of nothing else. Throws with what the bundler said.
 */
export async function bundle(binaries: Binaries): Promise<Bundle> {
  const made = new Map<string, string>();
  const foreign = new Set<string>();
  await makeAll(binaries, async (source, name, plugins) => {
    const { text, inputs } = await bundleOne(source, name, plugins);
    made.set(name, text);
    for (const folder of inputs.map(packageOf)) if (folder !== null) foreign.add(folder);
  });
  const files = compileWhole(made, BANNER);
  for (const [name, text] of files) assertSelfContained(name, text, files);
  if (foreign.size > 0) files.set(LICENSES, licensesOf(foreign));
  return { files, entries: binaries.sources.map(fileOf) };
}

/** Every file that the binaries need, each made once. */
export async function makeAll({ dir, sources }: Binaries, make: Make): Promise<void> {
  const lazy = sources.flatMap(lazyModulesOf);
  const used: Libraries = new Map();
  const evaluators = new Set<string>();
  const isSibling = (name: string): boolean =>
    isBuiltin(name) || isLibrary(name) || lazy.some(({ specifier }) => specifier === name);
  const own = (isFlatFile: (file: string) => boolean): readonly BunPlugin[] => [
    apart(used),
    ownSources(isSibling, isFlatFile),
  ];
  for (const entry of entriesOf([...sources, ...kitOf(dir)], lazy)) {
    const isBinary = sources.includes(entry);
    // The first file takes a function from what the kit has in it, and is not to read the kit for that.
    if (isBinary) await make(START, fileOf(entry), [startOf(programOf(entry)), ...own(() => false)]);
    const name = isBinary ? programOf(entry) : fileOf(entry);
    const leftOut = [separate(lazy), evaluatorApart(evaluators), kitApart(dir)];
    await make(entry, name, [...leftOut, ...own(() => isFlat(name))]);
  }
  for (const source of evaluators)
    await make(source, EVALUATOR, [evaluatorItself(isSibling), kitApart(dir), ...own(() => false)]);
  // One of our own may want others, which are found while this goes on.
  for (const [specifier, file] of used) {
    const isOurs = specifier.startsWith("@uncaged/");
    await make(
      file,
      libraryFile(specifier),
      isOurs ? [apart(used), pageTexts, topicTexts] : [lateChildProcess],
    );
  }
}

/** The first file of a binary. */
const START = join(import.meta.dirname, "start.ts");

function startOf(program: string): BunPlugin {
  return {
    name: "start",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\.\/program\.js$/ }, () => ({ path: `./${program}`, external: true })),
  };
}

/** What a binary's first file runs, `program-uwf.js`. */
function programOf(source: string): string {
  return `program-${fileOf(source)}`;
}

function fileOf(source: string): string {
  return basename(source).replace(/\.ts$/, ".js");
}

type Made = { readonly text: string; readonly inputs: readonly string[] };

async function bundleOne(source: string, name: string, plugins: readonly BunPlugin[]): Promise<Made> {
  const entrypoints = [source];
  const built = await Bun.build({ ...SHARED, entrypoints, target: "node", plugins, metafile: true });
  if (!built.success) throw new Error(explain(built.logs));
  const [output] = built.outputs;
  // A `#!` line of a source would stand above the banner; nobody executes these files directly.
  const text = asciiOnly((await output?.text())?.replace(/^#!.*\n/, "") ?? "");
  assertNoPaths(name, text);
  return { text: `${BANNER}\n${text}`, inputs: Object.keys(built.metafile?.inputs ?? {}) };
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
export function asciiOnly(code: string): string {
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
    .filter((path) => !files.has(path.replace("./", "")) && path !== KIT_BUNDLE && !isBuiltin(path));
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
