import { owedSteps, type Tell } from "../aftermath/index.js";
import { checkWorld } from "../invariants/index.js";
import type { Stage } from "../story/index.js";
import { inProcess, type Ran, type World } from "../world/index.js";
import type { Told } from "./told.js";

type Uwf = (args: readonly string[]) => Promise<Ran>;

/**
 * `verify` is clean, or it is after `gc`: a node of an unfinished step can be there whose part is not, and nothing refers
 * to it. A store that is neither is broken: nothing else can be asked of it.
 */
export async function madeReady(world: World, tell: Tell): Promise<"whole" | "collected" | "broken"> {
  const uwf = inProcess(world);
  if ((await uwf(["cas", "verify"])).code === 0) return "whole";
  await uwf(["cas", "verify", "--repair"]);
  const gc = await uwf(["cas", "gc", "--yes", "--grace", "0s"]);
  if (gc.code !== 0) tell("what nothing refers to is collected", said("cas gc", gc));
  const ran = await uwf(["cas", "verify"]);
  if (ran.code === 0) return "collected";
  tell("what is damaged is repaired or collected", said("cas verify", ran));
  return "broken";
}

/** Every command that reads tells the truth, and what had been told is there. */
export async function look(world: World, stage: Stage, told: Told, tell: Tell): Promise<void> {
  const uwf = inProcess(world);
  const list = await uwf(["thread", "list", "--all"]);
  if (list.code !== 0) {
    tell("every command that reads works", said("thread list", list));
    return;
  }
  const threads: readonly Listed[] = JSON.parse(list.stdout);
  for (const { thread, done = false, error = null } of threads) {
    if (error !== null) tell("every command that reads works", `${thread} is marked: ${error}`);
    for (const verb of ["show", "steps", ...(done ? [] : ["next"])]) {
      const ran = await uwf(["thread", verb, thread]);
      if (ran.code !== 0) tell("every command that reads works", said(`thread ${verb}`, ran));
    }
  }
  const known = [...stage.threads, ...(await checkTold(uwf, told, tell))];
  checkPaid(world, threads, told, tell);
  for (const { promise, evidence } of await checkWorld(world, { threads: known })) tell(promise, evidence);
}

type Listed = {
  readonly thread: string;
  readonly head: string;
  readonly done?: boolean;
  readonly error?: string;
};

/** The document that uwf had printed is still true. Gives its thread. */
async function checkTold(uwf: Uwf, { document }: Told, tell: Tell): Promise<readonly string[]> {
  const { thread = null, head = null, name = null } = fieldsOf(document);
  if (thread === null) {
    if (name === null) return [];
    const ran = await uwf(["workflow", "show", name]);
    if (ran.code !== 0) tell("what was told is kept", `${document.trim()}: ${said("workflow show", ran)}`);
    return [];
  }
  const ran = await uwf(["thread", "steps", thread]);
  if (ran.code !== 0 || (head !== null && !ran.stdout.includes(`"${head}"`)))
    tell("what was told is kept", `${document.trim()}: ${said("thread steps", ran)}`);
  return [thread];
}

function fieldsOf(text: string): Partial<Readonly<Record<"thread" | "head" | "name", string>>> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** A result that the agent had synced is the head, or waits in its run for the next step. */
function checkPaid(world: World, threads: readonly Listed[], { result }: Told, tell: Tell): void {
  if (result === null || threads.some(({ head }) => head === result)) return;
  const waits = owedSteps(world).some(({ head, thread }) =>
    threads.some((each) => each.thread === thread && each.head === head),
  );
  if (!waits) tell("what was printed is not run again", `${result} is no head and waits in no run`);
}

function said(what: string, { code, stdout, stderr }: Ran): string {
  return `${what}: exit ${code}: ${stdout.slice(0, 500)}${stderr.slice(0, 500)}`;
}
