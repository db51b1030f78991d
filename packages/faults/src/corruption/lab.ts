import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { walk } from "@uncaged/json-cas";
import { processStartTime } from "@uncaged/json-cas-fs";
import {
  findRuns,
  openStorage,
  readPid,
  type Storage,
  stdoutTail,
  writeEnding,
  writeThreadRecord,
} from "@uncaged/workflow-store";
import { closeGate, deadRecord, recordText, until } from "../locks/workers.js";
import { ended, putTurns, type Ran, startThread, type World } from "../world.js";

/** Every file of a storage root with what stands in it; names are relative to the root. */
export type Snapshot = ReadonlyMap<string, Uint8Array>;

/** A thread of the store that is damaged, and all nodes that its history reaches. */
export type Subject = {
  readonly name: string;
  readonly thread: string;
  readonly head: string;
  readonly reach: ReadonlySet<string>;
};

/** Starts uwf with these words and gives what it said. */
type Uwf = (args: readonly string[]) => Promise<Ran>;

/** A store with a bit of everything, as it was before anything was damaged. */
export type Lab = {
  readonly world: World;
  readonly uwf: Uwf;
  readonly whole: Snapshot;
  readonly subjects: readonly Subject[];
  readonly questions: readonly Question[];
  /** Nodes that only the result reaches which waits to be taken over. */
  readonly waiting: ReadonlySet<string>;
};

/** A command line that only reads, and what it answers while nothing is damaged. */
export type Question = {
  readonly args: readonly string[];
  /** The thread that it asks about; `null` for one that is about all or none. */
  readonly subject: Subject | null;
  /** Threads of which its answer tells. */
  readonly tellsOf: readonly string[];
  readonly answer: Ran;
};

function snapshotOf(root: string): Snapshot {
  return new Map(filesIn(root).map((file) => [relative(root, file), readFileSync(file)]));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)],
    );
}

/**
 * Makes the folder hold these files and no others. The folders stay: records of locks and runs name them, and a new one
 * would be another root's.
 */
export function restore(root: string, snapshot: Snapshot): void {
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const path = join(root, entry.name);
    const inside = entry.isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path];
    for (const each of inside) rmSync(each, { recursive: true, force: true });
  }
  for (const [name, bytes] of snapshot) {
    const file = join(root, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes, { mode: name === ".env" ? 0o600 : 0o644 });
  }
}

export function bytesOf(root: string, name: string): Uint8Array | null {
  try {
    return readFileSync(join(root, name));
  } catch {
    return null;
  }
}

export function sameBytes(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : Buffer.compare(a, b) === 0;
}

/** Fills a world with threads in every state, packs its nodes if wanted, and notes what every question answers. */
export async function buildLab(world: World, uwf: Uwf, isPacked: boolean): Promise<Lab> {
  const heads = await fill(world);
  if (isPacked) await world.json(["cas", "pack"]);
  const storage = openStorage(world.root, { now: Date.now });
  const subjects = [...heads].map(([name, { thread, head }]) => ({
    name,
    thread,
    head,
    reach: reachOf(storage, head),
  }));
  const whole = snapshotOf(world.root);
  const questions: Question[] = [];
  for (const { args, subject } of asked(subjects)) {
    const tellsOf = subject === null ? [] : toldThreads(args[1] ?? "", subject, subjects);
    questions.push({ args, subject, tellsOf, answer: await uwf(args) });
  }
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
  for (const name of "two one fresh ended killed failed left ending held paused".split(" "))
    threads.set(name, await startThread(world, `Task of the thread called ${name}`));
  const start = async (...words: readonly string[]): Promise<string> =>
    (await world.json(["thread", "start", "turns", "-p", "A task", ...words])).thread;
  threads.set("limited", await start("--max-steps", "9"));
  const parent = await start();
  const { head } = await world.json(["thread", "show", parent]);
  threads.set("parent", parent);
  threads.set("child", await start("--parent", parent, "--key", `${head}/maker`));
  const of = (name: string): string => threads.get(name) ?? "";
  const step = (name: string) => world.json(["thread", "step", of(name), ...world.agent]);
  await step("two");
  const second = await step("two");
  await step("one");
  await step("limited");
  await step("ending");
  await world.json(["thread", "run", of("ended"), ...world.agent]);
  await world.json(["thread", "kill", of("killed")]);
  const removed = await startThread(world, "Task of a thread that is removed");
  await world.json(["thread", "kill", removed]);
  await world.json(["thread", "rm", removed]);
  await world.uwf(["thread", "step", of("failed"), ...world.agent], { env: { UWF_FAULTS_FAIL: "*" } });
  threads.set("fork", (await world.json(["thread", "fork", second.head])).thread);
  await leaveRun(world, of("left"));
  await writeEnding(openStorage(world.root, { now: Date.now }), of("ending") as never, { reason: "killed" });
  await world.json(["thread", "pause", of("paused"), "-m", "until the release"]);
  await world.json(["thread", "note", of("paused"), "keep the old option"]);
  await hold(world, of("held"));
  await leaveLock(world, of("one"));
  return headsOf(world, threads);
}

/** As an agent leaves a thread that waits for an answer. */
async function hold(world: World, thread: string): Promise<void> {
  const { head } = await world.json(["thread", "show", thread]);
  const waits = { for: "answer", question: "May I?", threads: [], until: null } as const;
  const record = { ...waits, since: 1, config: "", told: true, at: 1 } as const;
  const storage = openStorage(world.root, { now: Date.now });
  const agent = world.agent[1] ?? null;
  const held = writeThreadRecord(storage, thread as never, "hold", {
    ...record,
    head: head as never,
    role: "maker",
    agent,
  });
  if (!held.ok) throw new Error(`the thread that was to be held is not: ${held.error.code}`);
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
  type Item = { readonly thread: string; readonly head: string };
  const items = await world.json<readonly Item[]>("thread list --all".split(" "));
  const heads = new Map(items.map(({ thread, head }) => [thread, head]));
  return new Map([...threads].map(([name, thread]) => [name, { thread, head: heads.get(thread) ?? "" }]));
}

function reachOf({ cas }: Storage, head: string): ReadonlySet<string> {
  const reach = new Set<string>();
  walk(cas, head as never, ({ hash }) => void reach.add(hash), { followTypes: true });
  return reach;
}

const KIN: ReadonlySet<string> = new Set(["parent", "child", "two"]);

/** `show` names the state of each child, and `usage` counts what it has used. */
function toldThreads(command: string, subject: Subject, subjects: readonly Subject[]): readonly string[] {
  const isParent = subject.name === "parent" && (command === "show" || command === "usage");
  const children = subjects.filter(({ name }) => isParent && name === "child");
  return [subject, ...children].map(({ thread }) => thread);
}

type Asked = Pick<Question, "args" | "subject">;

function asked(subjects: readonly Subject[]): readonly Asked[] {
  const about = (subject: Subject, ...commands: readonly string[]): readonly Asked[] =>
    commands.map((command) => ({ args: ["thread", command, subject.thread], subject }));
  const plain = ["thread list", "thread list --all", "workflow list"];
  const named = [
    "workflow show turns",
    "workflow show other",
    "workflow history turns",
    "workflow history other",
  ];
  return [
    ...[...plain, ...named].map((line) => ({ args: line.split(" "), subject: null })),
    ...subjects.flatMap((subject) => about(subject, "show", "steps", "read", "next")),
    ...subjects.filter(({ name }) => KIN.has(name)).flatMap((subject) => about(subject, "usage")),
    ...subjects.filter(({ name }) => name === "limited").flatMap((subject) => about(subject, "limit")),
    ...subjects
      .filter(({ name }) => name === "two" || name === "one")
      .map((subject) => ({ args: ["thread", "step-details", subject.head], subject })),
  ];
}
