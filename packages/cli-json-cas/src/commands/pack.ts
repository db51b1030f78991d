import { type PackFigures, packStore } from "@uncaged/json-cas-fs";
import { defineCommand } from "../define.js";
import { done, firstInPack } from "./nodes.js";

/** Packs every node that has a file of its own. */
export const command = defineCommand(() => ({
  path: "pack",
  summary: "put nodes that have files of their own into one file: {packed, pack, …}",
  examples: ["pack"],
  notes:
    "A packed store takes a tenth of the disk. Nothing else changes: nodes are read, verified and collected as\nbefore, and new ones get files again; only long traces are packs from the start. gc packs what it keeps when\nmore than 5,000 nodes have files or there are more than 32 packs.",
  exits: ["LOCK_BUSY"],
  sample: { line: "pack", prints: "packed 56 nodes, 28 KiB; 1 pack" },
  run: async (tools) => {
    const figures: PackFigures = await packStore(tools.dir, {
      roots: await firstInPack(tools),
      isWanted: () => true,
      now: tools.now,
    });
    return done(figures);
  },
}));
