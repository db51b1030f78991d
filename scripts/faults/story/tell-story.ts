import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorld } from "../world/index.js";
import { killedAtWork } from "./busy.js";
import { definition, WORKFLOW } from "./commands.js";
import { judged } from "./judged.js";
import { kept } from "./keeping.js";
import { takenOver } from "./taken-over.js";
import { tellerIn } from "./teller.js";
import type { Stage } from "./types.js";
import { forkAndKill, wholeThread } from "./whole-thread.js";

/**
 * Tells the whole story once: the commands that are interrupted, the world as it is before each, and all calls of each.
 * `plant`: a bug of plants.mjs in the story itself. Takes some seconds.
 */
export async function tellStory(folder: string, plant: string | null): Promise<readonly Stage[]> {
  const teller = tellerIn(folder, plant);
  const world = openWorld(join(folder, "world"), "node");
  writeFileSync(definition(world), readFileSync(WORKFLOW));
  const { thread, heads } = await wholeThread(teller, world);
  await forkAndKill(teller, world, thread, heads[1] ?? "");
  await takenOver(teller, thread);
  await judged(teller, folder);
  await killedAtWork(teller, thread);
  await kept(teller, world, folder, thread);
  return teller.stages;
}
