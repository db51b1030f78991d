import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createUsage, exportNodes, packStore, writeNewFile } from "@uncaged/json-cas-fs";
import { openStorage } from "@uncaged/workflow-store";
import type { BuiltStore } from "./build.js";

/** What stores take. */
export type Disk = {
  /** A packed store, for each step of its thread. */
  readonly kbPerStep: number;
  readonly filesPerStep: number;
  /** One step of fifty turns: files that came, and blocks of the disk by bytes of nodes. */
  readonly traceFiles: number;
  readonly traceRatio: number;
};

/** Packs every node of a store, as `uwf cas pack` would; gives what its folder of nodes takes. */
export async function packBuilt(
  { root, head }: BuiltStore,
  steps: number,
): Promise<Pick<Disk, "kbPerStep" | "filesPerStep">> {
  const { cas } = openStorage(root, { now: Date.now }).paths;
  await packStore(cas, { roots: [head], isWanted: () => true, now: Date.now });
  const { files, bytes } = takenBy(cas);
  return { kbPerStep: bytes / 1000 / steps, filesPerStep: files / steps };
}

/** What `work` adds to a store, which makes a step of fifty turns. */
export async function traceOf(
  { root }: BuiltStore,
  work: () => Promise<unknown>,
): Promise<Pick<Disk, "traceFiles" | "traceRatio">> {
  const { cas } = openStorage(root, { now: Date.now }).paths;
  const content = (): number => createUsage(cas).figures().bytes;
  const [before, nodesBefore] = [takenBy(cas), content()];
  await work();
  const after = takenBy(cas);
  const traceRatio = (after.bytes - before.bytes) / (content() - nodesBefore);
  return { traceFiles: after.files - before.files, traceRatio };
}

function takenBy(folder: string): { readonly files: number; readonly bytes: number } {
  const files = filesIn(folder);
  // Blocks of 512 bytes, whatever the file system's own are.
  return { files: files.length, bytes: files.reduce((sum, file) => sum + lstatSync(file).blocks * 512, 0) };
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}

/** Writes what a thread's head reaches to a file, as `uwf cas export <hash>` would; gives how many nodes. */
export function exportBuilt({ root, head }: BuiltStore, file: string): number {
  const { cas } = openStorage(root, { now: Date.now }).paths;
  return writeNewFile(file, true, (write) => exportNodes(cas, [head], [], write))?.nodes ?? 0;
}
