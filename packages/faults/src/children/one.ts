import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "../frame.js";
import { quiet } from "../inject/index.js";
import type { World } from "../world.js";
import {
  copyTrees,
  ENDED,
  isAgent,
  killedAt,
  ONE,
  openTrees,
  stepToEnd,
  type Tell,
  teller,
  threadsOf,
  told,
  uwf,
} from "./tree.js";

const step = (thread: string): readonly string[] => ["thread", "step", thread, "--wait", "20"];

/** A thread whose next step is a child. */
export type One = { readonly world: World; readonly thread: string };

export async function openOne(folder: string): Promise<One> {
  const world = await openTrees(folder, ONE);
  const { thread } = await world.json(["thread", "start", "lead", "-p", "item-0"]);
  return { world, thread };
}

/** How many changes the four processes of a step make: uwf, uwf-workflow, the child's uwf and its agent. */
export async function callsOfStep({ world, thread }: One, folder: string): Promise<number> {
  const { calls, ran } = await killedAt(copyTrees(world, [thread], folder), step(thread), 0);
  if (ran.code !== 0) throw new Error(`the step ended with ${ran.code}: ${ran.stderr}`);
  return calls;
}

/** One of the four processes is killed at its n-th change; whoever steps the parent again finds the same child. */
export async function oneRound(session: Session, one: One, folder: string, at: number): Promise<void> {
  const { thread } = one;
  const world = copyTrees(one.world, [thread], folder);
  const tell = teller(session, `one child, killed at call ${at}`);
  const { victim } = await killedAt(world, step(thread), at);
  if (victim !== null) session.count(`kills of ${victim}`);
  const last = await stepToEnd(world, thread, 20);
  if (last?.code !== ENDED) tell("the thread comes to its end", `${last?.code}: ${last?.stderr}`);
  const all = await threadsOf(world);
  if (all.length !== 2) tell("there is exactly one child", JSON.stringify(all));
  if (all.some(({ done }) => !done)) tell("no child is left active", JSON.stringify(all));
  const starts = told(world, "start").length;
  if (starts > (isAgent(victim) ? 2 : 1))
    tell("no start of an agent is repeated", `${starts} starts, and ${victim} was killed`);
  session.count("single children to their end");
}

/**
 * A step with a child is killed, its agent works on; then the parent is killed by `thread kill`, which dies on its way, and is
 * given again: nothing is active after that, and nothing lives.
 */
export async function killRound(session: Session, one: One, folder: string, calls: number): Promise<void> {
  const { random, count } = session;
  const { thread } = one;
  const world = copyTrees(one.world, [thread], folder);
  if (random.below(2) === 0) writeFileSync(join(world.cwd, "slow"), "");
  const at = 1 + random.below(calls);
  const tell = teller(session, `a kill, after a step that died at call ${at}`);
  await dieWorking(world, thread, at);
  const first = await killedAt(world, ["thread", "kill", thread], 1 + random.below(KILL_CALLS));
  if (first.victim !== null) count("kills of thread kill");
  const second = await uwf(world, ["thread", "kill", thread]);
  if (second.code !== 0 && second.code !== ENDED)
    tell("a kill can be given again", `${second.code}: ${second.stderr}`);
  await judge(world, thread, tell);
  count("parents killed twice");
}

/** The kill of a parent and its child makes some 70 changes. */
const KILL_CALLS = 80;

/** The step, until something died or the agent works. */
async function dieWorking(world: World, thread: string, at: number): Promise<void> {
  const dying = killedAt(world, step(thread), at);
  const working = async (): Promise<void> => {
    for (let look = 0; look < 600 && told(world, "start").length === 0; look += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
  };
  await Promise.race([dying, working()]);
  // A step that is alive is ended by the kill.
  dying.catch(() => {});
}

async function judge(world: World, thread: string, tell: Tell): Promise<void> {
  const all = await threadsOf(world);
  if (all.length > 2) tell("there is exactly one child", JSON.stringify(all));
  const active = all.filter(({ done }) => !done);
  if (active.length > 0) tell("no child is left active after a second kill", JSON.stringify(active));
  try {
    await quiet(world);
  } catch (error) {
    tell("no agent works on after a kill", String(error));
  }
  const late = await uwf(world, step(thread));
  if (late.code !== ENDED) tell("a killed thread stays killed", `${late.code}: ${late.stderr}`);
  const starts = told(world, "start").length;
  if (starts > 2) tell("no start of an agent is repeated", `${starts} starts`);
}
