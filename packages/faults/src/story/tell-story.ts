import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorld } from "../world/index.js";
import { killedAtWork } from "./busy.js";
import { definition, WORKFLOW } from "./commands.js";
import { judged } from "./judged.js";
import { kept } from "./keeping.js";
import { takenOver } from "./taken-over.js";
import { tellerIn } from "./teller.js";
import type { Stage, Teller } from "./types.js";
import { forkAndKill, wholeThread } from "./whole-thread.js";

/** How a story is told: from a folder, and with a bug of plants.mjs in it or none, to its stages. */
export type Tale = (folder: string, plant: string | null) => Promise<readonly Stage[]>;

/** One thread from its workflow to its natural end, and nothing else. */
export const tellBeginning: Tale = async (folder, plant) => {
  const teller = tellerIn(folder, plant);
  await begin(teller, folder);
  return teller.stages;
};

/**
 * Tells the whole story once: the commands that are interrupted, the world as it is before each, and all calls of each.
 * Takes some seconds.
 */
export const tellStory: Tale = async (folder, plant) => {
  const teller = tellerIn(folder, plant);
  const { world, thread, heads } = await begin(teller, folder);
  await forkAndKill(teller, world, thread, heads[1] ?? "");
  await takenOver(teller, thread);
  await judged(teller, folder);
  await killedAtWork(teller, thread);
  await kept(teller, world, folder, thread);
  return teller.stages;
};

async function begin(teller: Teller, folder: string) {
  const world = openWorld(join(folder, "world"), "node");
  writeFileSync(definition(world), readFileSync(WORKFLOW));
  return { world, ...(await wholeThread(teller, world)) };
}
