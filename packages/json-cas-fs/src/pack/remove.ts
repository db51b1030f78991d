import { utimesSync } from "node:fs";
import { fsyncDir, guarded, removeIfThere } from "../files/index.js";
import { packDir, packFile, packIndexFile } from "./format.js";

/** Its name first, that of its index after: a pack without an index would be damage. The caller holds the packs. */
export function removePack(dir: string, name: string): void {
  removeIfThere(packFile(dir, name));
  fsyncDir(packDir(dir));
  removeIfThere(packIndexFile(dir, name));
}

/** The nodes of a pack count as put at its time (epoch ms). */
export function touchPack(dir: string, name: string, now: number): void {
  const file = packFile(dir, name);
  guarded("refresh", file, () => utimesSync(file, now / 1000, now / 1000));
}
