import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildMessage, Bun, type BunPlugin } from "./bun-api.js";
import { type Bundle, describe } from "./bundle.js";
import { apart, type Libraries, libraryFile } from "./libraries.js";
import { pastIndex } from "./past-index.js";
import { entriesOf, roadsOf, separate } from "./roads.js";

/**
 * Builds the same binaries once more for bun alone, with their bytecode beside them (`<name>.js.jsc`): that saves a
 * third of a step, which is mostly two program starts. Another version of bun than the builder's ignores the bytecode
 * and reads the source. CommonJS, because bun makes bytecode of nothing else; so there are no chunks, no top-level
 * `await`, and no module with a URL of its own, which the two plugins take care of.
 */
export async function bundleForBun(
  sources: readonly string[],
  outdir: string,
  modules: Bundle,
  packages: string,
): Promise<void> {
  const making = `${outdir}.${process.pid}.tmp`;
  const roads = sources.flatMap(roadsOf);
  const entries = entriesOf(sources, roads);
  const used: Libraries = new Map();
  const own = [nativeHash, evaluatorOf(modules), separate(roads), apart(used), pastIndex(packages)];
  try {
    for (const entry of entries) await build(entry, making, "[name].[ext]", own);
    for (const [specifier, file] of used) await build(file, making, libraryFile(specifier), []);
    for (const name of readdirSync(making)) assertUsable(making, name);
    replace(outdir, making);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

async function build(
  entry: string,
  outdir: string,
  naming: string,
  plugins: readonly BunPlugin[],
): Promise<void> {
  const built = await Bun.build({
    entrypoints: [entry],
    target: "bun",
    format: "cjs",
    bytecode: true,
    minify: true,
    conditions: ["uwf-source"],
    // Otherwise bun writes down where the source lies on this machine, for `__dirname` too.
    define: { "import.meta.dirname": "module.path" },
    outdir,
    naming,
    plugins,
    throw: false,
  });
  if (!built.success) throw new Error(explain(built.logs));
}

/** The other build allows a top-level `await`; here bun says what is left of the file without its meaning. */
function explain(logs: readonly BuildMessage[]): string {
  const awaits = logs.filter(({ message }) => /"await".*\basync\b.*function/.test(message));
  if (awaits.length === 0) return logs.map(describe).join("\n");
  const message =
    "`await` outside of a function: the bundle for bun is CommonJS, which cannot wait; use .then()";
  return awaits.map(({ position }) => describe({ message, position })).join("\n");
}

/** The bundle runs where it is installed: no path of the machine that built it may be in it. */
function assertUsable(dir: string, name: string): void {
  const here = [process.cwd(), pathToFileURL(process.cwd()).href];
  const bytes = readFileSync(join(dir, name));
  if (here.some((path) => bytes.includes(path))) {
    throw new Error(`${name} holds a path of this machine; of import.meta only dirname can be used in it`);
  }
  // bun does not say so when it cannot compile what it bundled, which then cannot run either.
  if (name.endsWith(".js") && !existsSync(join(dir, `${name}.jsc`))) {
    throw new Error(`${name} has no bytecode; of import.meta only dirname can be used in it`);
  }
}

/** Puts the files in place while others may be running them. */
function replace(outdir: string, making: string): void {
  mkdirSync(outdir, { recursive: true });
  const names = readdirSync(making);
  for (const name of names) renameSync(join(making, name), join(outdir, name));
  for (const name of readdirSync(outdir)) if (!names.includes(name)) rmSync(join(outdir, name));
}

/** json-cas waits for WebAssembly where the runtime has no XXH64; bun has it. */
const nativeHash: BunPlugin = {
  name: "native-hash",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/json-cas\/src\/hash\/instance\.ts$/ }, () => ({
      loader: "ts",
      contents: "export const xxh64 = (bytes: Uint8Array): bigint => Bun.hash.xxHash64(bytes, 0n) as bigint;",
    })),
};

/** The moderator's evaluator runs in a process of its own, from a module of its own: the chunk of the other build. */
function evaluatorOf({ files }: Bundle): BunPlugin {
  return {
    name: "evaluator",
    setup: ({ onLoad }) =>
      onLoad({ filter: /\/workflow-moderator\/src\/engine\/serve\.js$/ }, () => {
        // Each road that decides has one.
        const chunks = [...files].filter(([, text]) => /\bas evaluator\b/.test(text)).map(([name]) => name);
        const [chunk] = chunks.sort();
        if (chunk === undefined) throw new Error("no chunk exports the evaluator");
        const contents = [
          'import { join } from "node:path";',
          'import { pathToFileURL } from "node:url";',
          `export const evaluator = { url: pathToFileURL(join(import.meta.dirname, "../bin/${chunk}")).href };`,
        ].join("\n");
        return { loader: "ts", contents };
      }),
  };
}
