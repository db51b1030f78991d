import { existsSync } from "node:fs";
import { flag, needed, some } from "@uncaged/command-line";
import { CasError, type Hash, type JsonObject, resolveHash } from "@uncaged/json-cas";
import { exportNodes, writeNewFile } from "@uncaged/json-cas-fs";
import { type Answer, defineCommand, HASH, type Mount, NAMED, OUTPUT, type Tools } from "../define.js";
import { CasInputError } from "../fault.js";
import { done, readReferrers, wordsOf } from "./nodes.js";

export const command = defineCommand(({ group, hasNames }: Mount) => ({
  path: "export",
  summary: "write these and everything they reach to one file",
  arguments: { names: hasNames ? some(NAMED, { name: "thread-or-hash" }) : some(HASH, { name: "hash" }) },
  options: {
    output: needed(OUTPUT, "output file; - is stdout", { short: "-o" }),
    force: flag("replace an existing file"),
  },
  examples: [
    `export ${hasNames ? "01KAJ5E8ZJ4N7XK3M9T2V6W8YB" : "64KB4T4A9CKTS"} -o backup.pack`,
    `export ${hasNames ? "01KAJ5E8ZJ4N7XK3M9T2V6W8YB" : "64KB4T4A9CKTS"} -o - | gzip > backup.pack.gz`,
  ],
  sample:
    group === "thread"
      ? { line: "export W8YB -o copy.cas", prints: "wrote 32 nodes to copy.cas, 22 KiB" }
      : { line: "export W8YB -o thread.cas", prints: "wrote 32 nodes to thread.cas, 22 KiB" },
  run: async (tools, { names, output, force }) => {
    const { roots, entries } = await resolveNames(tools, names);
    if (output !== "-" && !force && existsSync(output)) throw exists(output);
    try {
      return write(tools, roots, entries, { output, force });
    } catch (error) {
      await tellPlaces(tools, error);
      throw error;
    }
  },
}));

type Target = { readonly output: string; readonly force: boolean };

function write(
  tools: Tools,
  roots: readonly Hash[],
  entries: readonly JsonObject[],
  { output, force }: Target,
): Answer {
  if (output === "-") return toStdout(tools, roots, entries);
  const figures = writeNewFile(output, force, (write) => exportNodes(tools.dir, roots, entries, write));
  if (figures === null) throw exists(output);
  return done({ file: output, ...figures });
}

/** An export is complete or fails: the missing node is reported with the names that people know. */
async function tellPlaces(tools: Tools, error: unknown): Promise<void> {
  if (!(error instanceof CasError) || error.fault.code !== "NODE_DAMAGED") return;
  const { hash } = error.fault;
  const places = (await readReferrers(tools)).filter((place) => place.hash === hash);
  if (places.length > 0)
    tools.warn(`an export must be complete, and node ${hash} is not available${wordsOf(places)}`);
}

function toStdout({ dir, write }: Tools, roots: readonly Hash[], entries: readonly JsonObject[]): Answer {
  exportNodes(dir, roots, entries, write);
  return { document: null, exitCode: 0 };
}

async function resolveNames({ store, loadHooks }: Tools, names: readonly string[]) {
  const hooks = await loadHooks?.();
  const roots = new Set<Hash>();
  const entries = new Map<string, JsonObject>();
  for (const text of names) {
    const named = (await hooks?.named(text)) ?? [];
    if (named.length === 0) roots.add(resolveHash(store, text));
    for (const [at, { root, id, entry }] of named.entries()) {
      roots.add(root);
      // What belongs to another one says so; named by itself it does not.
      if (at > 0 || !entries.has(id)) entries.set(id, entry);
    }
  }
  // In one order, whatever the order on the command line.
  const inOrder = [...entries].sort(([left], [right]) => (left < right ? -1 : 1));
  return { roots: [...roots].sort(), entries: inOrder.map(([, entry]) => entry) };
}

function exists(output: string): CasInputError {
  return new CasInputError({
    code: "FILE_EXISTS",
    path: output,
    instead: "name another file, or replace this one with --force",
  });
}
