import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { walk } from "@uncaged/json-cas";
import { processStartTime } from "@uncaged/json-cas-fs";
import {
  findRuns,
  openStorage,
  readPid,
  type Storage,
  stdoutTail,
  writeEnding,
} from "@uncaged/workflow-store";
import { closeGate, until } from "../locks/gate.js";
import { deadRecord, recordText } from "../locks/stale.js";
import { ended, putTurns, startThread, type World } from "../world/index.js";
import { snapshotOf } from "./snapshot.js";
import type { Lab, Question, Subject, Uwf } from "./types.js";

/** Fills a world with threads in every state, and notes what every question answers. */
export async function buildLab(world: World, uwf: Uwf): Promise<Lab> {
  const heads = await fill(world);
  const storage = openStorage(world.root, { now: Date.now });
  const subjects = [...heads].map(([name, { thread, head }]) => ({
    name,
    thread,
    head,
    reach: reachOf(storage, head),
  }));
  const whole = snapshotOf(world.root);
  const questions: Question[] = [];
  for (const { args, subject } of asked(subjects)) questions.push({ args, subject, answer: await uwf(args) });
  return { world, uwf, whole, subjects, questions, waiting: waitingResult(storage, subjects) };
}

/** What stands behind the hash in the stdout of the run that was left. */
function waitingResult(storage: Storage, subjects: readonly Subject[]): ReadonlySet<string> {
  const left = subjects.find(({ name }) => name === "left");
  const runs = findRuns(storage, (left?.thread ?? "") as never);
  const hash = runs.ok && runs.value[0] !== undefined ? (stdoutTail(runs.value[0]) ?? "").trim() : "";
  if (!/^[0-9A-Z]{13}$/.test(hash)) throw new Error(`the run that was left has no result: ${hash}`);
  const reach = [...reachOf(storage, hash)];
  return new Set(reach.filter((each) => left?.reach.has(each) !== true));
}

type Heads = ReadonlyMap<string, { readonly thread: string; readonly head: string }>;

async function fill(world: World): Promise<Heads> {
  await putTurns(world);
  await putOther(world);
  settings(world);
  const threads = new Map<string, string>();
  for (const name of ["two", "one", "fresh", "ended", "killed", "failed", "left", "ending"]) {
    threads.set(name, await startThread(world, `Task of the thread called ${name}`));
  }
  const of = (name: string): string => threads.get(name) ?? "";
  const step = (name: string) => world.json(["thread", "step", of(name), ...world.agent]);
  await step("two");
  const second = await step("two");
  await step("one");
  await step("ending");
  await world.json(["thread", "run", of("ended"), ...world.agent]);
  await world.json(["thread", "kill", of("killed")]);
  await world.uwf(["thread", "step", of("failed"), ...world.agent], { env: { UWF_FAULTS_FAIL: "*" } });
  threads.set("fork", (await world.json(["thread", "fork", second.head])).thread);
  await leaveRun(world, of("left"));
  await writeEnding(openStorage(world.root, { now: Date.now }), of("ending") as never, { reason: "killed" });
  await leaveLock(world, of("one"));
  return headsOf(world, threads);
}

async function putOther(world: World): Promise<void> {
  const text = readFileSync(join(world.cwd, "turns.yaml"), "utf8");
  writeFileSync(join(world.cwd, "other.yaml"), text.replace("name: turns", "name: other"));
  await world.json(["workflow", "put", join(world.cwd, "other.yaml")]);
}

function settings(world: World): void {
  const [, command] = world.agent;
  const config = `# The agent of this store.\nagents: { faults: { command: ${command}, args: [] } }\ndefaultAgent: faults\nproviders: {}\nmodels: {}\ndefaultModel: null\nmodelOverrides: null\nagentOverrides: null\n`;
  writeFileSync(join(world.root, "config.yaml"), config);
  writeFileSync(join(world.root, ".env"), "FAULTS_API_KEY=a-key-of-no-use\n", { mode: 0o600 });
}

/** A run whose uwf was killed and whose agent has printed its hash since: the next step takes it over. */
async function leaveRun(world: World, thread: string): Promise<void> {
  const gate = closeGate(world, thread);
  const child = world.start(["thread", "step", thread, ...world.agent], { env: gate.env });
  const run = ended(child);
  await gate.reached();
  child.kill("SIGKILL");
  await run;
  const runs = findRuns(openStorage(world.root, { now: Date.now }), thread as never);
  const agent = runs.ok && runs.value[0] !== undefined ? readPid(runs.value[0]) : null;
  if (agent === null) throw new Error("the run that was to be left has no agent");
  gate.open();
  await until("the agent has ended", () => processStartTime(agent.pid) !== agent.startTime);
}

async function leaveLock(world: World, thread: string): Promise<void> {
  const locks = join(world.root, "locks");
  mkdirSync(locks, { recursive: true });
  writeFileSync(join(locks, `thread-${thread}.lock`), recordText(await deadRecord()));
}

async function headsOf(world: World, threads: ReadonlyMap<string, string>): Promise<Heads> {
  const items = await world.json<readonly { readonly thread: string; readonly head: string }[]>([
    "thread",
    "list",
    "--all",
  ]);
  const heads = new Map(items.map(({ thread, head }) => [thread, head]));
  return new Map([...threads].map(([name, thread]) => [name, { thread, head: heads.get(thread) ?? "" }]));
}

function reachOf({ cas }: Storage, head: string): ReadonlySet<string> {
  const reach = new Set<string>();
  walk(cas, head as never, ({ hash }) => void reach.add(hash), { followTypes: true });
  return reach;
}

function asked(subjects: readonly Subject[]): readonly Omit<Question, "answer">[] {
  const about = (subject: Subject): readonly Omit<Question, "answer">[] =>
    ["show", "steps", "read", "next"].map((command) => ({
      args: ["thread", command, subject.thread],
      subject,
    }));
  const details = subjects.filter(({ name }) => name === "two" || name === "one");
  return [
    { args: ["thread", "list"], subject: null },
    { args: ["thread", "list", "--all"], subject: null },
    { args: ["workflow", "list"], subject: null },
    { args: ["workflow", "show", "turns"], subject: null },
    { args: ["workflow", "show", "other"], subject: null },
    ...subjects.flatMap(about),
    ...details.map((subject) => ({ args: ["thread", "step-details", subject.head], subject })),
  ];
}
