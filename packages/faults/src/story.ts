import { appendFileSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fsStoreFile } from "@uncaged/json-cas-fs";
import {
  type ListedThread,
  listThreads,
  openStorage,
  putContent,
  readChain,
  readRegistry,
} from "@uncaged/workflow-store";
import {
  type Call,
  injected,
  NOTHING,
  quiet,
  type Role,
  readCalls,
  type Syscall,
  type Target,
  traced,
} from "./inject/index.js";
import { readLedger } from "./invariants.js";
import { copyWorld, type Doc, openWorld, type Ran, STEPS, type World } from "./world.js";

/** A command line, which may name files of the world that it runs in. */
type Line = (world: World) => readonly string[];

/** What a person types, and the expected exit codes. */
export type Command = { readonly line: Line; readonly codes: readonly number[] };

/** One command of the story. */
type Scene = Command & {
  readonly name: string;
  /** Threads that exist before it. */
  readonly threads: readonly string[];
  /** What a person types after a crash, before continuing the threads. */
  readonly again: readonly Command[];
  /** Threads that exist after it was repeated. */
  readonly gives: readonly string[];
  /** The roles worth killing here: the agents of all steps do the same. */
  readonly roles: readonly Role[];
  /**
   * Starts a concurrent process, and resolves when it runs; `null`: none. With one, the command's number of calls
   * depends on timing.
   */
  readonly meanwhile: ((world: World) => Promise<void>) | null;
};

/** A scene with the record of an undisturbed run. */
export type Stage = Scene & {
  readonly before: World;
  /** All calls of uwf and its agent, and their root. */
  readonly calls: readonly Call[];
  readonly root: string;
  /** The state of the store before and after it. */
  readonly shapes: { readonly before: string; readonly after: string };
};

type Teller = {
  /** Saves a copy of the world, then runs the scene in it. */
  readonly tell: (world: World, scene: Scene) => Promise<Ran>;
  /** Kills a command on the way. */
  readonly strike: (world: World, command: Command, target: Target) => Promise<void>;
  /** A copy of the world before a stage. */
  readonly copyOf: (stage: string) => World;
  /** The first matching call of a stage. */
  readonly callOf: (stage: string, fits: (call: Call) => boolean) => Call;
  readonly stages: readonly Stage[];
};

const WORKFLOW = join(import.meta.dirname, "world/turns.yaml");

/** The path of a world's workflow file. */
const definition = ({ cwd }: World): string => join(cwd, "turns.yaml");

const put: Command = { line: (world) => ["workflow", "put", definition(world)], codes: [0] };

const start: Command = { line: () => ["thread", "start", "turns", "-p", "Do it"], codes: [0] };

function stepOf(thread: string): Command {
  return { line: ({ agent }) => ["thread", "step", thread, ...agent], codes: [0] };
}

/** Killing an already killed thread exits with 8. */
function killOf(thread: string): Command {
  return { line: () => ["thread", "kill", thread], codes: [0, 8] };
}

/** A scene after which no command has to be repeated. */
function scene(name: string, command: Command, threads: readonly string[]): Scene {
  return { ...command, name, threads, again: [], gives: [], roles: ["uwf", "agent"], meanwhile: null };
}

function docOf({ stdout }: Ran): Doc {
  return JSON.parse(stdout);
}

/** Long enough to be killed, short enough to wait for if the kill died first. */
const DELAY_MS = 700;

const POLL_MS = 5;
const PATIENCE_MS = 30_000;

/** A thread is killed while its agent works. */
async function killedAtWork({ tell, copyOf }: Teller, thread: string): Promise<void> {
  const kill = killOf(thread);
  const meanwhile = (world: World): Promise<void> => startSlowStep(world, thread);
  const world = copyOf("thread step 1");
  await tell(world, { ...scene("kill of a thread at work", kill, [thread]), again: [kill], meanwhile });
}

async function startSlowStep(world: World, thread: string): Promise<void> {
  const scenario = join(world.folder, "slow.json");
  const entry = { reply: "---\ntext: slow\n---\nSlowly.", delayMs: DELAY_MS };
  writeFileSync(scenario, JSON.stringify({ roles: { maker: [entry] } }));
  const before = readLedger(world.ledger).length;
  world.start(stepOf(thread).line(world), { env: { UWF_MOCK_SCENARIO: scenario } });
  const deadline = Date.now() + PATIENCE_MS;
  while (readLedger(world.ledger).length === before) {
    if (Date.now() > deadline) throw new Error("the agent of the step that is to be killed does not start");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** A condition with a regex needs the evaluator process, one over all steps needs their cache. */
const REJECTED = "$count(steps[$contains($string(output.approved), /^false$/)])";
const EXPRESSION = `${REJECTED} > $count(steps[output.approved = true])`;

/** A step whose decision needs the evaluator process and the whole history. */
async function judged({ tell }: Teller, folder: string): Promise<void> {
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

/** Older than any grace period. */
const OLD = new Date("2020-01-01T00:00:00Z");

/** The maintenance commands. */
async function kept(teller: Teller, world: World, folder: string, thread: string): Promise<void> {
  await collected(teller, copyWorld(world, join(folder, "collected"), "node"), thread);
  await repaired(teller, copyWorld(world, join(folder, "repaired"), "node"), thread);
  await packed(teller, copyWorld(world, join(folder, "packed"), "node"), thread);
  await imported(teller, world, thread);
}

/** Old unreachable nodes. */
async function collected({ tell }: Teller, world: World, thread: string): Promise<void> {
  const storage = openStorage(world.root, { now: Date.now });
  for (const text of ["one", "two", "three"]) {
    const hash = await putContent(storage.cas, `Garbage number ${text}`);
    utimesSync(fsStoreFile(storage.paths.cas, hash), OLD, OLD);
  }
  const gc: Command = { line: () => ["cas", "gc", "--yes"], codes: [0] };
  await tell(world, { ...scene("cas gc", gc, [thread]), again: [gc] });
}

/** Everything is packed; later a gc writes the pack again without garbage that was packed with it, and packs what is new. */
async function packed({ tell }: Teller, world: World, thread: string): Promise<void> {
  const { cas, paths } = openStorage(world.root, { now: Date.now });
  for (const text of ["four", "five", "six"]) await putContent(cas, `Garbage number ${text}`);
  const pack: Command = { line: () => ["cas", "pack"], codes: [0] };
  await tell(world, { ...scene("cas pack", pack, [thread]), again: [pack] });
  const folder = join(paths.cas, "pack");
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), OLD, OLD);
  const old = await putContent(cas, "Garbage number seven");
  utimesSync(fsStoreFile(paths.cas, old), OLD, OLD);
  const gc: Command = { line: () => ["cas", "gc", "--yes"], codes: [0] };
  await tell(world, { ...scene("cas gc over a pack", gc, [thread]), again: [gc] });
  const more: Command = { line: () => ["cas", "pack"], codes: [0] };
  await putContent(cas, "Number eight");
  await tell(world, { ...scene("cas pack again", more, [thread]), again: [more] });
}

/** Packs of earlier traces: with one more they are merged. */
const EARLIER = 32;

/** A step with so long a trace that its nodes become a pack, in a store that has many of them. */
async function traceOfStep({ tell, copyOf }: Teller, thread: string): Promise<void> {
  const world = copyOf("thread step 1");
  const { cas } = openStorage(world.root, { now: Date.now });
  for (let pack = 0; pack < EARLIER; pack += 1) {
    await cas.together(async (store) => {
      for (let turn = 0; turn < 33; turn += 1) await putContent(store, `Turn ${turn} of trace ${pack}`);
    });
  }
  const facts = ({ cwd }: World): string => join(cwd, "facts.json");
  const turns = Array.from({ length: 12 }, (_, turn) => ({ input: `asked ${turn}`, output: `said ${turn}` }));
  writeFileSync(facts(world), JSON.stringify({ sessionId: "long", turns }));
  writeFileSync(`${facts(world)}.output`, JSON.stringify({ text: "first" }));
  const line = (there: World): readonly string[] => {
    const [option, agent] = there.agent;
    return ["thread", "step", thread, option, `${agent} --output --facts '${facts(there)}'`];
  };
  await tell(world, scene("a step with a long trace", { line, codes: [0] }, [thread]));
}

/** Remains of interrupted writes: a temporary file, a line without a node, a torn line. */
async function repaired({ tell }: Teller, world: World, thread: string): Promise<void> {
  const { cas } = openStorage(world.root, { now: Date.now }).paths;
  const [index = ""] = readdirSync(join(cas, "_index"));
  appendFileSync(join(cas, "_index", index), "0123456789ABC\n0123");
  const litter = join(cas, "0123456789ABC.bin.a-1-0a1b2c3d4e5.tmp");
  writeFileSync(litter, "half a no");
  utimesSync(litter, OLD, OLD);
  const repair: Command = { line: () => ["cas", "verify", "--repair"], codes: [0] };
  await tell(world, { ...scene("cas verify --repair", repair, [thread]), again: [repair] });
}

/** Imports a thread of this store into one that has only its workflow. */
async function imported({ tell, copyOf }: Teller, world: World, thread: string): Promise<void> {
  const other = copyOf("thread start");
  const file = ({ cwd }: World): string => join(cwd, "thread.export");
  await world.json(["cas", "export", thread, "-o", file(other)]);
  const take: Command = { line: (there) => ["cas", "import", file(there)], codes: [0] };
  await tell(other, { ...scene("cas import", take, []), again: [take], gives: [thread] });
}

/** The calls of one process of a stage on bun. */
export type StageOnBun = { readonly stage: Stage; readonly role: Role; readonly calls: readonly Syscall[] };

/** Runs every stage again for each of its processes, on bun under strace. Throws if strace sees nothing. */
export async function callsOnBun(stages: readonly Stage[], folder: string): Promise<readonly StageOnBun[]> {
  const found: StageOnBun[] = [];
  for (const [index, stage] of stages.entries()) {
    for (const role of stage.roles.filter((each) => stage.calls.some((call) => call.role === each))) {
      const world = copyWorld(stage.before, join(folder, `${role}-${index}`), "node");
      await stage.meanwhile?.(world);
      const { calls, ran } = await traced(world, stage.line(world), { role, injection: null, both: false });
      if (calls.length === 0) throw new Error(`strace sees nothing of ${stage.name}: ${ran.stderr}`);
      found.push({ stage, role, calls });
    }
  }
  return found;
}

/**
 * The state of a store without what differs between runs of the same commands: the registry, and each thread's number
 * of steps and whether it was killed. A thread that is not `known` is called new.
 */
export async function shapeOf(world: World, known: readonly string[]): Promise<string> {
  const storage = openStorage(world.root, { now: Date.now });
  const [listed, registry] = [await listThreads(storage, { all: true }), await readRegistry(storage)];
  if (!listed.ok || !registry.ok) return "unreadable";
  const threads = listed.value.map((state) => {
    const name = known.includes(state.thread) ? state.thread : "new";
    return `${name}: ${stepsOf(storage, state)} steps${isKilled(state) ? ", killed" : ""}`;
  });
  const entries = [...new Map(Object.entries(registry.value))].map(([name, hash]) => `${name}: ${hash}`);
  return [...threads, ...entries].sort().join("\n");
}

function isKilled(state: ListedThread): boolean {
  return state.kind === "ended" && state.reason === "killed";
}

function stepsOf(storage: ReturnType<typeof openStorage>, { head }: ListedThread): number | string {
  const chain = readChain(storage.cas, head);
  return chain.ok ? chain.value.steps.length : "unreadable";
}

const WAITER = `#!/bin/sh
echo '{"for":"answer","question":"May I?"}' >"$UNCAGED_WORKFLOW_STORAGE_ROOT/runs/$1/$UWF_RUN/waiting.json"
exit 9
`;

/** A thread waits for a person, is paused, goes on, and is answered. */
async function held({ tell, copyOf }: Teller, thread: string): Promise<void> {
  const world = copyOf("thread step 1");
  writeFileSync(join(world.cwd, "waiter.sh"), WAITER, { mode: 0o755 });
  const wait: Command = {
    line: ({ cwd }) => ["thread", "step", thread, "--agent", join(cwd, "waiter.sh")],
    codes: [9],
  };
  const change = (verb: string): Command => ({ line: () => ["thread", verb, thread], codes: [0] });
  const answer: Command = {
    line: () => ["thread", "answer", thread, "--field", "text=first", "--by", "Ada"],
    codes: [0],
  };
  const uwf = (name: string, command: Command, again: Command): Scene => ({
    ...scene(name, command, [thread]),
    again: [again],
    roles: ["uwf"],
  });
  await tell(world, uwf("a step whose agent waits", wait, wait));
  // In a copy: there the configuration has another stamp than at the step before, as in every repetition of the scene.
  const later = copyWorld(world, `${world.folder}-2`, "node");
  await tell(later, uwf("a step that is held", wait, wait));
  await tell(world, uwf("thread pause", change("pause"), change("resume")));
  await tell(world, uwf("thread resume", change("resume"), change("resume")));
  // Where the first one was recorded, an agent is asked next.
  await tell(world, uwf("thread answer", answer, { ...answer, codes: [0, 4] }));
}

/** A thread is given a note and limits, goes on with both, comes to a limit, and another one takes its place. */
async function controlled({ tell, copyOf }: Teller, thread: string): Promise<void> {
  const world = copyOf("thread step 2");
  const note: Command = { line: () => ["thread", "note", thread, "mind the title"], codes: [0] };
  const limit = (most: number): Command => ({
    line: () => ["thread", "limit", thread, "--max-steps", String(most), "--max-cost", "9"],
    codes: [0],
  });
  const given = (name: string, command: Command, again: Command): Scene => ({
    ...scene(name, command, [thread]),
    again: [again],
  });
  await tell(world, given("thread note", note, note));
  await tell(world, given("thread limit", limit(50), limit(50)));
  await tell(world, scene("a step with a note and a limit", stepOf(thread), [thread]));
  const last = copyWorld(world, `${world.folder}-2`, "node");
  await last.json(limit(1).line(last));
  const held: Command = { ...stepOf(thread), codes: [9] };
  await tell(last, { ...given("a step that reaches a limit", held, limit(50)), roles: ["uwf"] });
  const { head } = await world.json(["thread", "show", thread]);
  const fork: Command = { line: () => ["thread", "fork", head, "--instead-of", thread], codes: [0] };
  await tell(world, given("thread fork --instead-of", fork, fork));
}

/** A workflow gets another version, goes back to the first one, and a thread of it is started by a key. */
async function versioned({ tell, copyOf }: Teller): Promise<void> {
  const world = copyOf("thread start");
  const { hash } = await world.json(put.line(world));
  const text = readFileSync(WORKFLOW, "utf8");
  const later = ({ cwd }: World): string => join(cwd, "later.yaml");
  writeFileSync(later(world), text.replace(/^description: .*$/m, "description: another version"));
  const change: Command = { line: (there) => ["workflow", "put", later(there)], codes: [0] };
  const back: Command = { line: () => ["workflow", "rollback", "turns", hash], codes: [0] };
  const keyed: Command = {
    line: () => ["thread", "start", "turns", "-p", "Do it", "--key", "issue-41"],
    codes: [0],
  };
  await tell(world, { ...scene("another version of a workflow", change, []), again: [change] });
  await tell(world, { ...scene("workflow rollback", back, []), again: [back] });
  await tell(world, { ...scene("thread start --key", keyed, []), again: [keyed] });
}

/** Commands after the crash of another process. */
async function takenOver(teller: Teller, thread: string): Promise<void> {
  await adopted(teller, thread);
  await abandoned(teller, thread);
  await halfKilled(teller);
}

/** uwf died after starting the agent, which finished. */
async function adopted({ tell, strike, copyOf, callOf }: Teller, thread: string): Promise<void> {
  const { n } = callOf("thread step 2", ({ name }) => name === "spawn");
  const world = copyOf("thread step 2");
  await strike(world, stepOf(thread), { role: "uwf", n, act: "kill-after" });
  await tell(world, scene("a step that adopts", stepOf(thread), [thread]));
}

/** Both died before there was a result. */
async function abandoned({ tell, strike, copyOf }: Teller, thread: string): Promise<void> {
  const world = copyOf("thread step 1");
  await strike(world, stepOf(thread), { role: "agent", n: 5, act: "kill-both" });
  const other = copyWorld(world, `${world.folder}-2`, "node");
  await tell(world, { ...scene("a step after an abandoned run", stepOf(thread), [thread]), roles: ["uwf"] });
  const kill = killOf(thread);
  await tell(other, { ...scene("kill of an abandoned run", kill, [thread]), again: [kill] });
}

/** A kill died after its decision. */
async function halfKilled({ tell, strike, copyOf, callOf, stages }: Teller): Promise<void> {
  const { n } = callOf("thread kill", ({ name, to }) => name === "link" && /\/ending$/.test(to ?? ""));
  const threads = stages.find(({ name }) => name === "thread kill")?.threads ?? [];
  const killed = threads.at(-1) ?? "";
  const world = copyOf("thread kill");
  await strike(world, killOf(killed), { role: "uwf", n, act: "kill-after" });
  const late: Command = { ...stepOf(killed), codes: [8] };
  await tell(world, { ...scene("a step that finds an ending", late, threads), again: [late] });
}

/** Runs scenes on Node.js, where preload.mjs sees all calls, and keeps the worlds before them in `folder`. */
function tellerIn(folder: string, plant: string | null): Teller {
  const stages: Stage[] = [];
  const stageOf = (name: string): Stage => {
    const stage = stages.find((each) => each.name === name);
    if (stage === undefined) throw new Error(`there is no stage ${name}`);
    return stage;
  };
  const tell: Teller["tell"] = async (world, scene) => {
    const before = copyWorld(world, join(folder, `before-${stages.length}`), "node");
    const log = join(folder, "calls");
    rmSync(log, { force: true });
    await scene.meanwhile?.(world);
    const ran = await world.uwf(scene.line(world), { env: injected(NOTHING, { log, plant }) });
    await quiet(world);
    const calls = readCalls(log);
    if (!scene.codes.includes(ran.code ?? -1) || calls.length === 0) {
      throw new Error(`${scene.name} ended with ${ran.code}, after ${calls.length} calls: ${ran.stderr}`);
    }
    const shapes = {
      before: await shapeOf(before, scene.threads),
      after: await shapeOf(world, scene.threads),
    };
    stages.push({ ...scene, before, calls, root: world.root, shapes });
    return ran;
  };
  const strike: Teller["strike"] = async (world, { line }, target) => {
    await world.uwf(line(world), { env: injected(target, { log: null, plant }) });
    await quiet(world);
  };
  const copyOf: Teller["copyOf"] = (name) =>
    copyWorld(stageOf(name).before, join(folder, `copy-${stages.length}`), "node");
  const callOf: Teller["callOf"] = (name, fits) => {
    const call = stageOf(name).calls.find(fits);
    if (call === undefined) throw new Error(`${name} makes no such call`);
    return call;
  };
  return { tell, strike, copyOf, callOf, stages };
}

/** From the definition of a workflow to the natural end of a thread. Returns the thread and its heads. */
async function wholeThread({ tell }: Teller, world: World) {
  await tell(world, { ...scene("workflow put", put, []), again: [put, start] });
  const { thread } = docOf(await tell(world, { ...scene("thread start", start, []), again: [start] }));
  const heads: string[] = [];
  for (let step = 1; step <= STEPS; step += 1) {
    heads.push(docOf(await tell(world, scene(`thread step ${step}`, stepOf(thread), [thread]))).head);
  }
  return { thread, heads };
}

async function forkAndKill({ tell }: Teller, world: World, thread: string, head: string) {
  const fork: Command = { line: () => ["thread", "fork", head], codes: [0] };
  const forked = docOf(await tell(world, { ...scene("thread fork", fork, [thread]), again: [fork] }));
  const kill = killOf(forked.thread);
  await tell(world, { ...scene("thread kill", kill, [thread, forked.thread]), again: [kill] });
}

/** Runs a story in a folder, with a planted bug or without, and returns its stages. */
export type Tale = (folder: string, plant: string | null) => Promise<readonly Stage[]>;

/** One thread from its workflow to its natural end, and nothing else. */
export const tellBeginning: Tale = async (folder, plant) => {
  const teller = tellerIn(folder, plant);
  await begin(teller, folder);
  return teller.stages;
};

/**
 * Runs the whole story once: returns its commands, with the world before each and all calls of each.
 * Takes a few seconds.
 */
export const tellStory: Tale = async (folder, plant) => {
  const teller = tellerIn(folder, plant);
  const { world, thread, heads } = await begin(teller, folder);
  await forkAndKill(teller, world, thread, heads[1] ?? "");
  await takenOver(teller, thread);
  await held(teller, thread);
  await controlled(teller, thread);
  await versioned(teller);
  await judged(teller, folder);
  await killedAtWork(teller, thread);
  await traceOfStep(teller, thread);
  await kept(teller, world, folder, thread);
  return teller.stages;
};

async function begin(teller: Teller, folder: string) {
  const world = openWorld(join(folder, "world"), "node");
  writeFileSync(definition(world), readFileSync(WORKFLOW));
  return { world, ...(await wholeThread(teller, world)) };
}
