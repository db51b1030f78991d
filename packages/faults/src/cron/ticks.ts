import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openTrees, pathOf, ROLE, type Tell, teller, threadsOf, told } from "../children/tree.js";
import type { Random, Session } from "../frame.js";
import { quiet } from "../inject/index.js";
import { ended, RUNTIMES, type World } from "../world.js";

const META = "meta: { type: object, required: [item], properties: { item: { type: string } } }";

/** A person allows it, then the worker works. */
const ALLOWED = `name: allowed
description: A worker who needs a permission
roles:
  approver:
${ROLE}
    agent: human
    meta: { type: object, required: [approved], properties: { approved: { type: boolean } } }
  worker:
${ROLE}
    ${META}
conditions:
  refused: { description: not yet, expression: "steps[-1].output.approved = false" }
graph:
  $START: [{ role: approver, condition: null }]
  approver: [{ role: approver, condition: refused }, { role: worker, condition: null }]
  worker: [{ role: $END, condition: null }]
`;

/** Its only role is played by a thread in which a person is asked. */
const PARENT = `name: parent
description: Has it done where a person is asked
roles:
  lead:
${ROLE}
    agent: { workflow: allowed, prompt: task }
    ${META}
conditions: {}
graph:
  $START: [{ role: lead, condition: null }]
  lead: [{ role: $END, condition: null }]
`;

const WORKFLOWS = ["work", "allowed", "parent", "parent"] as const;

type Crowd = {
  readonly world: World;
  readonly random: Random;
  readonly tell: Tell;
  readonly count: Session["count"];
};

/** Threads with a worker, with a person, and with a child that has both. */
async function furnish(folder: string, many: number): Promise<World> {
  const world = await openTrees(folder, { items: many, jobs: 1, failing: [] }, RUNTIMES[0]);
  const file = (name: string, text: string): string => {
    writeFileSync(join(world.cwd, name), text);
    return join(world.cwd, name);
  };
  await world.json(["workflow", "put", file("allowed.yaml", ALLOWED), file("parent.yaml", PARENT)]);
  for (let at = 0; at < many; at += 1) {
    const workflow = WORKFLOWS[at % WORKFLOWS.length] ?? "work";
    await world.json(["thread", "start", workflow, "-p", `item-${at}`]);
  }
  return world;
}

/** No crowd needs more calls than this: each parent waits for a child that is asked twice at most. */
const MOST_TICKS = 60;

/**
 * One line of cron, called again and again and killed at times, while people answer: every thread comes to its end, children
 * before their parents, each worker is started once, and nobody passes a person who has not answered.
 */
export async function ticksRound(session: Session, folder: string, many: number): Promise<void> {
  const { random, count } = session;
  const world = await furnish(folder, many);
  const tell = teller(session, `cron over ${many} threads`);
  const crowd: Crowd = { world, random, tell, count };
  let answered = 0;
  let left = await activeIn(world);
  for (let tick = 0; tick < MOST_TICKS && left > 0; tick += 1) {
    // The first call of the line is to serve all of them.
    await call(crowd, tick > 0 && random.below(3) === 0);
    answered += await answerSome(crowd);
    left = await activeIn(world);
  }
  await quiet(world);
  await judge(crowd, answered);
  count("threads that cron has taken to their end", many);
}

async function activeIn(world: World): Promise<number> {
  return (await threadsOf(world)).filter(({ done }) => !done).length;
}

type Item = { readonly thread: string };

/** A call of the line; what it leaves when it is killed works on, and the next call passes it over. */
async function call({ world, random, tell, count }: Crowd, isKilled: boolean): Promise<void> {
  const words = ["thread", "run", "--all", "--jobs", String(1 + random.below(4))];
  const child = world.start(words, { env: { PATH: pathOf(world) } });
  const timer = isKilled ? setTimeout(() => child.kill("SIGKILL"), random.below(1500)) : null;
  const ran = await ended(child);
  if (timer !== null) clearTimeout(timer);
  count("calls of cron's line");
  if (ran.signal === "SIGKILL") return count("of them killed");
  if (ran.code !== 0) return tell("cron's line succeeds", `${ran.code}: ${ran.stderr.slice(-600)}`);
  const { threads }: { readonly threads: readonly Item[] } = JSON.parse(ran.stdout);
  const places = new Map(threads.map(({ thread }, at) => [thread, at]));
  for (const { child: below, parent } of linesOf(world)) {
    const [first, second] = [places.get(below), places.get(parent)];
    if (first !== undefined && second !== undefined && first > second)
      tell("children come before their parents", `${below} after ${parent}: ${ran.stdout}`);
  }
}

type Line = { readonly child: string; readonly parent: string };

function linesOf(world: World): readonly Line[] {
  const lines = world.read("children.jsonl").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

type Asked = { readonly thread: string; readonly head: string; readonly held: { readonly for: string } };

/** People answer some of the questions, mostly with yes. Gives how many answers counted. */
async function answerSome({ world, random, tell, count }: Crowd): Promise<number> {
  const asked = await world.json<readonly Asked[]>(["thread", "list", "--held"]);
  let answered = 0;
  for (const { thread, head, held } of asked) {
    if (held.for !== "answer" || random.below(3) === 0) continue;
    const words = ["--field", `approved=${random.below(4) > 0}`, "--head", head, "--by", "Ada"];
    const ran = await world.uwf(["thread", "answer", thread, ...words, "--wait", "10"]);
    if (ran.code === 0) answered += 1;
    else tell("who is asked can answer", `${ran.code}: ${ran.stderr}`);
  }
  count("answers of people", answered);
  return answered;
}

async function judge({ world, tell }: Crowd, answered: number): Promise<void> {
  const all = await threadsOf(world);
  const active = all.filter(({ done }) => !done);
  if (active.length > 0) tell("every thread comes to its end", JSON.stringify(active));
  const workers = all.length - parentsIn(world);
  const starts = told(world, "start");
  if (starts.length !== workers || new Set(starts).size !== workers)
    tell("each worker is started once", `${starts.length} starts for ${workers} threads`);
  let people = 0;
  for (const { thread } of all) {
    const steps = await world.json<Steps>(["thread", "steps", thread]);
    const roles = steps.steps.map(({ role, agent }) => `${role} ${agent === "human"}`);
    people += roles.filter((role) => role === "approver true").length;
    if (roles.includes("approver false")) tell("a person's role is played by people", roles.join(", "));
  }
  if (people !== answered) tell("an answer counts once", `${people} steps of ${answered} answers`);
  const verified = await world.uwf(["cas", "verify"]);
  if (verified.code !== 0) tell("the store is whole", verified.stderr);
}

type Steps = { readonly steps: readonly { readonly role?: string; readonly agent?: string }[] };

function parentsIn(world: World): number {
  return new Set(linesOf(world).map(({ parent }) => parent)).size;
}
