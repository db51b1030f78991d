import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Session } from "../frame.js";
import { copyWorld, openWorld, type Ran, RUNTIMES, type Runtime, type World } from "../world.js";

const PRELOAD = resolve(import.meta.dirname, "../inject/among.cjs");
const KIT = resolve(import.meta.dirname, "../../../workflow-agent-kit/bin");

/** The texts of a role. */
export const ROLE = `    description: plays
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

/** A workflow whose only role is played by a thread of another one. */
const LEAD = `name: lead
description: Has the work done
roles:
  lead:
${ROLE}
    agent: { workflow: work, prompt: task }
    meta: { type: object, required: [item], properties: { item: { type: string } } }
conditions: {}
graph:
  $START: [{ role: lead, condition: null }]
  lead: [{ role: $END, condition: null }]
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

/**
 * Tells the ledger of its start and of its reply; fails once where the file of failing items says so; while there is a file
 * `slow` it works on until it is ended.
 */
const AGENT = (cwd: string): string => `#!/bin/sh
cd '${cwd}'
echo "start $1" >>starts
if [ "$2" = planner ]; then reply="items: [$(cat items)]"; else
  item=$(NODE_OPTIONS= uwf-agent-prompt "$1" "$2" | sed -n 's/^.*\\(item-[0-9]*\\).*$/\\1/p' | tail -1)
  if mkdir "fail-$item" 2>/dev/null && grep -q ",$item," failing; then exit 3; fi
  [ ! -e slow ] || exec sleep 60
  reply="item: $item"
fi
echo "reply $1" >>starts
printf -- '---\\n%s\\n---\\n' "$reply" | uwf-agent-write --agent worker "$1" "$2"
`;

export type Plan = {
  readonly items: number;
  readonly jobs: number;
  /** Items whose worker fails the first time. */
  readonly failing: readonly number[];
};

export const ONE: Plan = { items: 1, jobs: 1, failing: [] };

/** A world with the workflows and their agent. Calls can be counted on Node.js only. */
export async function openTrees(
  folder: string,
  { items, jobs, failing }: Plan,
  runtime: Runtime = "node",
): Promise<World> {
  const world = openWorld(folder, runtime);
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
  const files = [file("work.yaml", WORK), file("lead.yaml", LEAD), file("map.yaml", MAP(jobs))];
  await world.json(["workflow", "put", ...files]);
  return world;
}

/** The same world with its threads in another folder: their agent and their working folder move with it. */
export function copyTrees(world: World, threads: readonly string[], folder: string): World {
  const copy = copyWorld(world, folder, "node");
  const files = ["storage/config.yaml", "project/worker.sh"];
  for (const file of [...files, ...threads.map((thread) => `storage/runs/${thread}/cwd.json`)]) {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, "utf8").replaceAll(world.folder, folder));
  }
  return copy;
}

/** uwf with the kit's binaries on PATH. */
export function uwf(
  world: World,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return world.uwf(words, { env: { PATH: pathOf(world), ...env } });
}

export function pathOf(world: World): string {
  return `${KIT}:${world.environment(RUNTIMES[0]).PATH}`;
}

/** A command line of whose processes the one is killed that makes the n-th change of the file system; 0: none is. */
export async function killedAt(world: World, words: readonly string[], at: number): Promise<Death> {
  const file = join(world.cwd, `calls-${words[1]}-${at}`);
  const ran = await uwf(world, words, {
    NODE_OPTIONS: `--require=${PRELOAD}`,
    UWF_TEST_CALLS: file,
    UWF_TEST_KILL_AT: String(at),
  });
  const victim = existsSync(`${file}.killed`) ? readFileSync(`${file}.killed`, "utf8") : null;
  const calls = existsSync(file) ? readFileSync(file, "utf8").length : 0;
  return { ran, victim: victim === null ? null : programOf(victim), calls };
}

export type Death = {
  readonly ran: Ran;
  /** The program that died; `null`: it made fewer calls. */
  readonly victim: string | null;
  /** The calls of all processes. */
  readonly calls: number;
};

/** `program-uwf-agent-write.js`: what Node.js runs. */
function programOf(file: string): string {
  return file.replace(/^program-|\.c?js$/g, "");
}

/** What a worker's start may be repeated for: its agent died. */
export function isAgent(victim: string | null): boolean {
  return victim?.startsWith("uwf-agent") ?? false;
}

export const ENDED = 8;
export const HELD = 9;

/** Steps the thread until it has ended; gives what the last step said. */
export async function stepToEnd(world: World, thread: string, most: number): Promise<Ran | null> {
  let last: Ran | null = null;
  for (let turn = 0; turn < most && last?.code !== ENDED; turn += 1)
    last = await uwf(world, ["thread", "step", thread, "--wait", "20"]);
  return last;
}

export type Item = { readonly thread: string; readonly head: string; readonly done: boolean };

export async function threadsOf(world: World): Promise<readonly Item[]> {
  return JSON.parse((await world.uwf(["thread", "list", "--all"])).stdout);
}

/** How often agents began, or replied. */
export function told(world: World, what: "start" | "reply"): readonly string[] {
  const file = join(world.cwd, "starts");
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  return lines.filter((line) => line.startsWith(`${what} `));
}

export type Tell = (promise: string, evidence: string) => void;

/** Says which round broke a promise. */
export function teller({ seed, broken }: Session, round: string): Tell {
  return (promise, evidence) => broken(promise, `seed ${seed}, ${round}: ${evidence}`);
}
