import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Kind } from "../frame/index.js";
import { inProcess, openWorld, RUNTIMES } from "../world/index.js";
import { buildLab } from "./lab.js";
import { playRound } from "./round.js";

/** Any file of a store damaged in any way: answers stay right or become errors, and nothing is overwritten. */
export const corruption: Kind = {
  name: "corruption",
  title:
    "one file of a store (nodes, index, threads, history, registry, runs, endings, settings, logs, locks) is flipped, truncated, deleted, swapped or zeroed; then every command is asked and compared with what it says of the whole store",
  sampleRounds: 30,
  weight: 4,
  goals: { damages: 1000, commands: 40_000 },
  run: async (session) => {
    const folder = join(session.folder, "world");
    mkdirSync(folder);
    const world = openWorld(folder, RUNTIMES[0]);
    const lab = await buildLab(world, inProcess(world));
    for (let round = 0; session.more(round); round += 1) await playRound(session, lab, round);
  },
};
