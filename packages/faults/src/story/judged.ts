import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openWorld } from "../world/index.js";
import { definition, docOf, put, scene, stepOf, WORKFLOW } from "./commands.js";
import type { Teller } from "./types.js";

/** A condition with a regular expression is evaluated in a process of its own, one over all steps needs their cache. */
const REJECTED = "$count(steps[$contains($string(output.approved), /^false$/)])";
const EXPRESSION = `${REJECTED} > $count(steps[output.approved = true])`;

/** A step whose decision needs the evaluator's process, and the whole history. */
export async function judged({ tell }: Teller, folder: string): Promise<void> {
  const world = openWorld(join(folder, "judged"), "node");
  const text = readFileSync(WORKFLOW, "utf8");
  writeFileSync(
    definition(world),
    text.replace(/expression: .*/, `expression: ${JSON.stringify(EXPRESSION)}`),
  );
  await world.json(put.line(world));
  const { thread } = docOf(await world.uwf(["thread", "start", "turns", "-p", "Do it"]));
  for (const _ of ["maker", "checker"]) await world.json(stepOf(thread).line(world));
  await tell(world, { ...scene("a step with an evaluator", stepOf(thread), [thread]), roles: ["uwf"] });
}
