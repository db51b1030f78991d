import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Kind, Session } from "./frame.js";
import { openWorld, type Ran, type World } from "./world.js";

const PRELOAD = resolve(import.meta.dirname, "inject/among.cjs");
const KIT = resolve(import.meta.dirname, "../../workflow-agent-kit/bin");

const ROLE = `    description: plays
    goal: Do it
    capabilities: []
    procedure: ""
    output: ""`;

const WORK = `name: work
description: One worker
roles:
  worker:
${ROLE}
    meta: { type: object, required: [item], properties: { item: { type: string } } }
conditions: {}
graph:
  $START: [{ role: worker, condition: null }]
  worker: [{ role: $END, condition: null }]
`;

const MAP = (jobs: number): string => `name: map
description: A worker for each item
roles:
  planner:
${ROLE}
    meta: { type: object, required: [items], properties: { items: { type: array, items: { type: string } } } }
  lead:
${ROLE}
    agent: { workflow: work, each: planner.items, jobs: ${jobs}, prompt: task }
    meta: { type: object, required: [results], properties: { results: { type: array } } }
conditions: {}
graph:
  $START: [{ role: planner, condition: null }]
  planner: [{ role: lead, condition: null }]
  lead: [{ role: $END, condition: null }]
`;

/** Tells the ledger of its start and of its reply; fails when the file of its turn says so. */
const AGENT = (cwd: string): string => `#!/bin/sh
cd '${cwd}'
echo "start $1" >>starts
if [ "$2" = planner ]; then reply="items: [$(cat items)]"; else
  item=$(NODE_OPTIONS= uwf-agent-prompt "$1" "$2" | sed -n 's/^.*\\(item-[0-9]*\\).*$/\\1/p' | tail -1)
  if mkdir "fail-$item" 2>/dev/null && grep -q ",$item," failing; then exit 3; fi
  reply="item: $item"
fi
echo "reply $1" >>starts
printf -- '---\\n%s\\n---\\n' "$reply" | uwf-agent-write --agent worker "$1" "$2"
`;

type Plan = { readonly items: number; readonly jobs: number; readonly failing: readonly number[] };

async function prepare(world: World, { items, jobs, failing }: Plan): Promise<string> {
  const file = (name: string, text: string): string => {
    writeFileSync(join(world.cwd, name), text);
    return join(world.cwd, name);
  };
  const names = Array.from({ length: items }, (_, at) => `item-${at}`);
  file("items", names.join(", "));
  file("failing", `,${failing.map((at) => `item-${at}`).join(",")},`);
  const agent = file("worker.sh", AGENT(world.cwd));
  chmodSync(agent, 0o755);
  await world.json(["setup", "--agent", agent]);
  await world.json(["workflow", "put", file("work.yaml", WORK)]);
  await world.json(["workflow", "put", file("map.yaml", MAP(jobs))]);
  const { thread } = await world.json(["thread", "start", "map", "-p", "Do it"]);
  return thread;
}

const pathOf = (world: World): string => `${KIT}:${world.environment("node").PATH}`;

/** One step, in which the process is killed that makes the n-th change of the file system; 0: none is. */
async function stepKilledAt(world: World, thread: string, at: number): Promise<Ran> {
  const env = {
    PATH: pathOf(world),
    NODE_OPTIONS: `--require=${PRELOAD}`,
    UWF_TEST_CALLS: join(world.cwd, `calls-${at}`),
    UWF_TEST_KILL_AT: String(at),
  };
  return world.uwf(["thread", "step", thread, "--wait", "20"], { env });
}

type Item = { readonly thread: string; readonly done: boolean };

/** Kills something in several steps, then lets the thread come to its end. */
async function round(session: Session, world: World, plan: Plan): Promise<void> {
  const { random } = session;
  const thread = await prepare(world, plan);
  const tell = (promise: string, evidence: string): void =>
    session.broken(promise, `seed ${session.seed}, ${JSON.stringify(plan)}: ${evidence}`);
  let killedAgents = 0;
  const kills = 1 + random.below(4);
  for (let kill = 0; kill < kills; kill += 1) {
    const at = 1 + random.below(200 + 150 * plan.items);
    await stepKilledAt(world, thread, at);
    const file = join(world.cwd, `calls-${at}.killed`);
    const victim = existsSync(file) ? readFileSync(file, "utf8") : null;
    if (victim === null) continue;
    session.count(`kills of ${victim.replace(/^program-|\.c?js$/g, "")}`);
    if (victim.includes("agent-write")) killedAgents += 1;
  }
  let last: Ran | null = null;
  // Each failing item may cost a step.
  for (let turn = 0; turn < 20 + 2 * plan.failing.length && last?.code !== 8; turn += 1)
    last = await world.uwf(["thread", "step", thread, "--wait", "20"], { env: { PATH: pathOf(world) } });
  if (last?.code !== 8) tell("the thread comes to its end", `${last?.code}: ${last?.stderr}`);
  await judge(world, { thread, plan, killedAgents }, tell);
  session.count("items mapped", plan.items);
  session.count("maps to their end");
}

type Ended = { readonly thread: string; readonly plan: Plan; readonly killedAgents: number };

async function judge(
  world: World,
  { thread, plan, killedAgents }: Ended,
  tell: (promise: string, evidence: string) => void,
): Promise<void> {
  const all: readonly Item[] = JSON.parse((await world.uwf(["thread", "list", "--all"])).stdout);
  if (all.length !== plan.items + 1)
    tell("every item has one child", `${all.length} threads for ${plan.items} items`);
  if (all.some(({ done }) => !done)) tell("no child is left active", JSON.stringify(all));
  const { steps } = JSON.parse((await world.uwf(["thread", "steps", thread])).stdout);
  const results = (steps.at(-1)?.output?.results ?? []).map((result: { item?: string }) => result?.item);
  const expected = Array.from({ length: plan.items }, (_, at) => `item-${at}`);
  if (JSON.stringify(results) !== JSON.stringify(expected))
    tell("results come in the order of the items", JSON.stringify(results));
  const replies = readFileSync(join(world.cwd, "starts"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("reply "));
  const repeated = replies.length - (plan.items + 1);
  if (repeated > killedAgents)
    tell("no agent that has replied is run again", `${repeated} too many, ${killedAgents} were killed`);
  const verified = await world.uwf(["cas", "verify"]);
  if (verified.code !== 0) tell("the store is whole", verified.stderr);
}

/** How many items maps have: mostly few, in a full run once the most there may be. */
function itemsOf({ level, random }: Session, index: number): number {
  if (level === "full" && index === 3) return 100;
  return 1 + random.below(6);
}

export const children: Kind = {
  name: "children",
  title:
    "a parent whose step is a map over child threads: uwf, uwf-workflow, the children's uwf or their agents are killed at any of their changes of the file system, agents fail; then it is stepped to its end",
  sampleRounds: 1,
  weight: 2,
  goals: { "maps to their end": 10 },
  run: async (session) => {
    for (let index = 0; session.more(index); index += 1) {
      const items = itemsOf(session, index);
      const failing = Array.from({ length: items }, (_, at) => at).filter(
        () => session.random.below(4) === 0,
      );
      const plan = { items, jobs: 1 + session.random.below(3), failing };
      await round(session, openWorld(join(session.folder, `map-${index}`), "node"), plan);
    }
  },
};
