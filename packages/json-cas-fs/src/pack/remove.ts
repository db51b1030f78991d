import { utimesSync } from "node:fs";
import { fsyncDir, guarded, removeIfThere } from "../files/index.js";
import { packDir, packFile, packIndexFile } from "./format.js";

/** Their names first, those of their indexes after: a pack without an index would be damage. The caller holds the packs. */
export function removePacks(dir: string, names: readonly string[]): void {
  if (names.length === 0) return;
  for (const name of names) removeIfThere(packFile(dir, name));
  fsyncDir(packDir(dir));
  for (const name of names) removeIfThere(packIndexFile(dir, name));
}

/** The nodes of a pack count as put at its time (epoch ms). */
export function touchPack(dir: string, name: string, now: number): void {
  const file = packFile(dir, name);
  guarded("refresh", file, () => utimesSync(file, now / 1000, now / 1000));
}
