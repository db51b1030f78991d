import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Bun } from "./bun-api.js";
import { assertNoPaths, type Binaries, explain, makeAll, SHARED } from "./bundle.js";
import { libraryFile, TOPICS } from "./libraries.js";

/**
 * They draw, compare, fill, ask a person, or wait for other threads or agents: whoever waits for that does not notice
 * 10 ms, and their bytecode would be 4 MB more to install. Without it there is nothing that bun needs of its own: it
 * reads the file for Node.js.
 */
const WITHOUT: ReadonlySet<string> = new Set([
  ...["@clack/prompts", "@dagrejs/dagre", "@uncaged/workflow-report", TOPICS].map(libraryFile),
  ...["diff", "docxtemplater", "pizzip"].map(libraryFile),
  // Only conditions with a regular expression need it.
  libraryFile("re2js"),
  // A person reads the page.
  "main-help.js",
  // It waits for the steps of other threads, three processes each.
  "program-uwf-workflow.js",
  // It runs an agent several times.
  "program-uwf-agent-check.js",
]);

/**
 * Builds the same binaries once more for bun alone, with their bytecode beside them (`<name>.js.jsc`): that saves a
 * third of a step, which is mostly two program starts. Another version of bun than the builder's ignores the bytecode
 * and reads the source.
 */
export async function bundleForBun(binaries: Binaries, outdir: string): Promise<void> {
  const making = `${outdir}.${process.pid}.tmp`;
  try {
    await makeAll(binaries, async (source, naming, plugins) => {
      if (WITHOUT.has(naming)) return writeFileSync(join(making, naming), sameAsForNode(naming));
      const entrypoints = [source];
      const made = { target: "bun", bytecode: true, outdir: making, naming, plugins } as const;
      const built = await Bun.build({ ...SHARED, ...made, entrypoints });
      if (!built.success) throw new Error(explain(built.logs));
    });
    for (const name of readdirSync(making)) assertUsable(making, name);
    replace(outdir, making);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

function sameAsForNode(name: string): string {
  return `// @bun @bun-cjs\n(function(exports, require, module) {module.exports = require("../bin/${name}");})\n`;
}

function assertUsable(dir: string, name: string): void {
  assertNoPaths(name, readFileSync(join(dir, name)));
  // bun does not say so when it cannot compile what it bundled, which then cannot run either.
  if (name.endsWith(".js") && !WITHOUT.has(name) && !existsSync(join(dir, `${name}.jsc`))) {
    throw new Error(`${name} has no bytecode; of import.meta only dirname and filename can be used in it`);
  }
}

/** Puts the files in place while others may be running them. */
function replace(outdir: string, making: string): void {
  mkdirSync(outdir, { recursive: true });
  const names = readdirSync(making);
  for (const name of names) renameSync(join(making, name), join(outdir, name));
  for (const name of readdirSync(outdir)) if (!names.includes(name)) rmSync(join(outdir, name));
}
