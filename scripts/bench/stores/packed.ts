import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { exportNodes, packStore, writeNewFile } from "@uncaged/json-cas-fs";
import { openStorage } from "@uncaged/workflow-store";
import type { BuiltStore } from "./build.js";

/** What a packed store takes for each step of its thread. */
export type Disk = { readonly kbPerStep: number; readonly filesPerStep: number };

/** Packs every node of a store, as `uwf cas pack` would; gives what its folder of nodes takes. */
export async function packBuilt({ root, head }: BuiltStore, steps: number): Promise<Disk> {
  const { cas } = openStorage(root, { now: Date.now }).paths;
  await packStore(cas, { roots: [head], isWanted: () => true, now: Date.now });
  const files = filesIn(cas);
  // Blocks of 512 bytes, whatever the file system's own are.
  const bytes = files.reduce((sum, file) => sum + lstatSync(file).blocks * 512, 0);
  return { kbPerStep: bytes / 1000 / steps, filesPerStep: files.length / steps };
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
