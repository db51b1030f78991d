import { utimesSync } from "node:fs";
import type { Hash } from "@uncaged/json-cas";
import { collectGarbage, createFsStore, fsStoreFile, type GcOptions, type Trouble } from "../../src/index.js";

const LONG_AGO = new Date("2020-01-01");

/** Makes every node of a store look as if it had been put years ago. */
export function ageAll(dir: string): void {
  for (const hash of createFsStore(dir).list()) age(dir, hash);
}

export function age(dir: string, hash: Hash): void {
  utimesSync(fsStoreFile(dir, hash), LONG_AGO, LONG_AGO);
}

/** Collects with everything told kept; `roots` are required. */
export async function collect(dir: string, roots: readonly Hash[], changes: Partial<GcOptions> = {}) {
  const hashes: Hash[] = [];
  const troubles: (Trouble & { readonly stops: boolean; readonly label: string | null })[] = [];
  const figures = await collectGarbage(dir, {
    roots: async (tell) => {
      for (const hash of roots) tell({ hash, label: "given", required: true });
    },
    accepted: new Set(),
    cutoff: Date.now() - 60_000,
    remove: true,
    hold: (work) => work(),
    pack: null,
    pause: async () => {},
    startSlice: () => () => false,
    tell: (trouble, stops, root) => troubles.push({ ...trouble, stops, label: root?.label ?? null }),
    removed: (hash) => hashes.push(hash),
    ...changes,
  });
  return { figures, hashes, troubles };
}
