import { appendFileSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fsStoreFile } from "@uncaged/json-cas-fs";
import {
  type ListedThread,
  listThreads,
  openStorage,
  putNode,
  readChain,
  readRegistry,
} from "@uncaged/workflow-store";
import { type Call, injected, NOTHING, quiet, type Role, readCalls, type Target } from "./inject.js";
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

const command = (words: readonly string[], codes: readonly number[] = [0]): Command => ({
  line: () => words,
  codes,
});

const put: Command = { line: (world) => ["workflow", "put", definition(world)], codes: [0] };

const start = command(["thread", "start", "turns", "-p", "Do it"]);

function stepOf(thread: string): Command {
  return { line: ({ agent }) => ["thread", "step", thread, ...agent], codes: [0] };
}

/** Killing an already killed thread exits with 8. */
const killOf = (thread: string): Command => command(["thread", "kill", thread], [0, 8]);

/** A scene after which no command has to be repeated, unless `more` says so. */
function scene(name: string, given: Command, threads: readonly string[], more: Partial<Scene> = {}): Scene {
  const plain = { again: [], gives: [], roles: ["uwf", "agent"], meanwhile: null } as const;
  return { ...given, name, threads, ...plain, ...more };
}

/** A scene whose command can be given again. */
function repeatable(
  name: string,
  given: Command,
  threads: readonly string[],
  more: Partial<Scene> = {},
): Scene {
  return scene(name, given, threads, { again: [given], ...more });
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
  const meanwhile = (world: World): Promise<void> => startSlowStep(world, thread);
  const world = copyOf("thread step 1");
  await tell(world, repeatable("kill of a thread at work", killOf(thread), [thread], { meanwhile }));
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
  await tell(world, scene("a step with an evaluator", stepOf(thread), [thread], { roles: ["uwf"] }));
}

/** Older than any grace period. */
const OLD = new Date("2020-01-01T00:00:00Z");

/** The maintenance commands. */
async function kept(teller: Teller, world: World, folder: string, thread: string): Promise<void> {
  const copy = (name: string): World => copyWorld(world, join(folder, name), "node");
  await collected(teller, copy("collected"), thread);
  await repaired(teller, copy("repaired"), thread);
  await packed(teller, copy("packed"), thread);
  await imported(teller, world, thread);
}

const gc = command(["cas", "gc", "--yes"]);
const pack = command(["cas", "pack"]);

/** Nodes that nothing refers to; `isOld`: older than any grace period. */
async function litter({ root }: World, isOld: boolean, ...texts: readonly string[]): Promise<void> {
  const { cas, paths } = openStorage(root, { now: Date.now });
  for (const text of texts) {
    const hash = await putNode(cas, "content", { text: `Garbage number ${text}` });
    if (isOld) utimesSync(fsStoreFile(paths.cas, hash), OLD, OLD);
  }
}

async function collected({ tell }: Teller, world: World, thread: string): Promise<void> {
  await litter(world, true, "one", "two", "three");
  await tell(world, repeatable("cas gc", gc, [thread]));
}

/** Everything is packed; later a gc writes the pack again without garbage that was packed with it, and packs what is new. */
async function packed({ tell }: Teller, world: World, thread: string): Promise<void> {
  await litter(world, false, "four", "five", "six");
  await tell(world, repeatable("cas pack", pack, [thread]));
  const folder = join(openStorage(world.root, { now: Date.now }).paths.cas, "pack");
  for (const name of readdirSync(folder)) utimesSync(join(folder, name), OLD, OLD);
  await litter(world, true, "seven");
  await tell(world, repeatable("cas gc over a pack", gc, [thread]));
  await litter(world, false, "eight");
  await tell(world, repeatable("cas pack again", pack, [thread]));
}

/** Packs of earlier traces: with one more they are merged. */
const EARLIER = 32;

/** A step with so long a trace that its nodes become a pack, in a store that has many of them. */
async function traceOfStep({ tell, copyOf }: Teller, thread: string): Promise<void> {
  const world = copyOf("thread step 1");
  const { cas } = openStorage(world.root, { now: Date.now });
  for (let pack = 0; pack < EARLIER; pack += 1) {
    await cas.together(async (store) => {
      for (let turn = 0; turn < 33; turn += 1)
        await putNode(store, "content", { text: `Turn ${turn} of trace ${pack}` });
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
  await tell(world, repeatable("cas verify --repair", command(["cas", "verify", "--repair"]), [thread]));
}

/** Imports a thread of this store into one that has only its workflow. */
async function imported({ tell, copyOf }: Teller, world: World, thread: string): Promise<void> {
  const other = copyOf("thread start");
  const file = ({ cwd }: World): string => join(cwd, "thread.export");
  await world.json(["cas", "export", thread, "-o", file(other)]);
  const take: Command = { line: (there) => ["cas", "import", file(there)], codes: [0] };
  await tell(other, repeatable("cas import", take, [], { gives: [thread] }));
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
  const words = ["thread", "answer", thread, "--field", "text=first", "--by", "Ada"];
  const [pause, resume] = [command(["thread", "pause", thread]), command(["thread", "resume", thread])];
  const uwf = (name: string, given: Command, again: Command): Scene =>
    scene(name, given, [thread], { again: [again], roles: ["uwf"] });
  await tell(world, uwf("a step whose agent waits", wait, wait));
  // In a copy: there the configuration has another stamp than at the step before, as in every repetition of the scene.
  const later = copyWorld(world, `${world.folder}-2`, "node");
  await tell(later, uwf("a step that is held", wait, wait));
  await tell(world, uwf("thread pause", pause, resume));
  await tell(world, uwf("thread resume", resume, resume));
  // Where the first one was recorded, an agent is asked next.
  await tell(world, uwf("thread answer", command(words), command(words, [0, 4])));
}

/** A thread is given a note and limits, goes on with both, comes to a limit, and another one takes its place. */
async function controlled({ tell, copyOf }: Teller, thread: string): Promise<void> {
  const world = copyOf("thread step 2");
  const limit = (most: number): Command =>
    command(["thread", "limit", thread, "--max-steps", String(most), "--max-cost", "9"]);
  await tell(
    world,
    repeatable("thread note", command(["thread", "note", thread, "mind the title"]), [thread]),
  );
  await tell(world, repeatable("thread limit", limit(50), [thread]));
  await tell(world, scene("a step with a note and a limit", stepOf(thread), [thread]));
  const last = copyWorld(world, `${world.folder}-2`, "node");
  await last.json(limit(1).line(last));
  const step: Command = { ...stepOf(thread), codes: [9] };
  await tell(
    last,
    scene("a step that reaches a limit", step, [thread], { again: [limit(50)], roles: ["uwf"] }),
  );
  const { head } = await world.json(["thread", "show", thread]);
  const fork = command(["thread", "fork", head, "--instead-of", thread]);
  await tell(world, repeatable("thread fork --instead-of", fork, [thread]));
}

/** A workflow gets another version, goes back to the first one, and a thread of it is started by a key. */
async function versioned({ tell, copyOf }: Teller): Promise<void> {
  const world = copyOf("thread start");
  const { hash } = await world.json(put.line(world));
  const later = ({ cwd }: World): string => join(cwd, "later.yaml");
  const text = readFileSync(WORKFLOW, "utf8");
  writeFileSync(later(world), text.replace(/^description: .*$/m, "description: another version"));
  const change: Command = { line: (there) => ["workflow", "put", later(there)], codes: [0] };
  const keyed = command(["thread", "start", "turns", "-p", "Do it", "--key", "issue-41"]);
  await tell(world, repeatable("another version of a workflow", change, []));
  await tell(world, repeatable("workflow rollback", command(["workflow", "rollback", "turns", hash]), []));
  await tell(world, repeatable("thread start --key", keyed, []));
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
  await tell(world, scene("a step after an abandoned run", stepOf(thread), [thread], { roles: ["uwf"] }));
  await tell(other, repeatable("kill of an abandoned run", killOf(thread), [thread]));
}

/** A kill died after its decision. */
async function halfKilled({ tell, strike, copyOf, callOf, stages }: Teller): Promise<void> {
  const { n } = callOf("thread kill", ({ name, to }) => name === "link" && /\/ending$/.test(to ?? ""));
  const threads = stages.find(({ name }) => name === "thread kill")?.threads ?? [];
  const killed = threads.at(-1) ?? "";
  const world = copyOf("thread kill");
  await strike(world, killOf(killed), { role: "uwf", n, act: "kill-after" });
  const late: Command = { ...stepOf(killed), codes: [8] };
  await tell(world, repeatable("a step that finds an ending", late, threads));
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
  await tell(world, scene("workflow put", put, [], { again: [put, start] }));
  const { thread } = docOf(await tell(world, repeatable("thread start", start, [])));
  const heads: string[] = [];
  for (let step = 1; step <= STEPS; step += 1) {
    heads.push(docOf(await tell(world, scene(`thread step ${step}`, stepOf(thread), [thread]))).head);
  }
  return { thread, heads };
}

async function forkAndKill({ tell }: Teller, world: World, thread: string, head: string) {
  const fork = command(["thread", "fork", head]);
  const forked = docOf(await tell(world, repeatable("thread fork", fork, [thread])));
  await tell(world, repeatable("thread kill", killOf(forked.thread), [thread, forked.thread]));
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
  await adopted(teller, thread);
  await abandoned(teller, thread);
  await halfKilled(teller);
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
