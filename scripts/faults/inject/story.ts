import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyWorld, type Doc, openWorld, type Ran, STEPS, type World } from "../world/index.js";
import { type Call, readCalls } from "./calls.js";
import { injected, NOTHING, type Target } from "./plan.js";
import { quiet } from "./quiet.js";
import { shapeOf } from "./shape.js";

// The commands that are interrupted, and the world as it is before each. The calls of each are recorded on Node.js,
// where preload.mjs sees them all.

/** A command line; it may name files of the world that it runs in. */
export type Line = (world: World) => readonly string[];

/** What a person types, and the exit codes that are right. */
export type Command = { readonly line: Line; readonly codes: readonly number[] };

export type Stage = Command & {
  readonly name: string;
  readonly before: World;
  /** Threads that exist before it. */
  readonly threads: readonly string[];
  /** What a person types after a crash, before going on with the threads. */
  readonly again: readonly Command[];
  /** All calls of an undisturbed run, and the root in which they were made. */
  readonly calls: readonly Call[];
  readonly root: string;
  /** What the store says before and after it. */
  readonly shapes: { readonly before: string; readonly after: string };
};

type Scene = Omit<Stage, "before" | "calls" | "root" | "shapes">;

type Teller = {
  /** Keeps the world as it is, then runs the scene in it. */
  readonly tell: (world: World, scene: Scene) => Promise<Ran>;
  /** Lets a command die on the way. */
  readonly strike: (world: World, command: Command, target: Target) => Promise<void>;
  /** A copy of the world before a stage. */
  readonly copyOf: (stage: string) => World;
  readonly stages: readonly Stage[];
};

const WORKFLOW = join(import.meta.dirname, "../world/turns.yaml");

const definition = ({ cwd }: World): string => join(cwd, "turns.yaml");

const put: Command = { line: (world) => ["workflow", "put", definition(world)], codes: [0] };
const start: Command = { line: () => ["thread", "start", "turns", "-p", "Do it"], codes: [0] };

/** Tells the whole story once. Takes some seconds. */
export async function tellStory(folder: string, plant: string | null): Promise<readonly Stage[]> {
  const teller = tellerIn(folder, plant);
  const world = openWorld(join(folder, "world"), "node");
  writeFileSync(definition(world), readFileSync(WORKFLOW));
  const { thread, heads } = await wholeThread(teller, world);
  await forkAndKill(teller, world, thread, heads);
  await takenOver(teller, thread);
  return teller.stages;
}

async function wholeThread({ tell }: Teller, world: World) {
  await tell(world, { ...put, name: "workflow put", threads: [], again: [put, start] });
  const { thread } = docOf(
    await tell(world, { ...start, name: "thread start", threads: [], again: [start] }),
  );
  const heads: string[] = [];
  for (let step = 1; step <= STEPS; step += 1) {
    const scene = { ...stepOf(thread), name: `thread step ${step}`, threads: [thread], again: [] };
    heads.push(docOf(await tell(world, scene)).head);
  }
  return { thread, heads };
}

function stepOf(thread: string): Command {
  return { line: ({ agent }) => ["thread", "step", thread, ...agent], codes: [0] };
}

async function forkAndKill({ tell }: Teller, world: World, thread: string, heads: readonly string[]) {
  const fork: Command = { line: () => ["thread", "fork", heads[1] ?? ""], codes: [0] };
  const forked = docOf(await tell(world, { ...fork, name: "thread fork", threads: [thread], again: [fork] }));
  const threads = [thread, forked.thread];
  const again = [killOf(forked.thread)];
  await tell(world, { ...killOf(forked.thread), name: "thread kill", threads, again });
}

/** Killing what is killed already says so. */
function killOf(thread: string): Command {
  return { line: () => ["thread", "kill", thread], codes: [0, 8] };
}

/** Commands that find what somebody else's death has left. */
async function takenOver({ tell, strike, copyOf, stages }: Teller, thread: string): Promise<void> {
  const threads = [thread];
  const spawned = numberOf(stages, "thread step 2", ({ role, name }) => role === "uwf" && name === "spawn");
  const printed = copyOf("thread step 2");
  await strike(printed, stepOf(thread), { role: "uwf", n: spawned, act: "kill-after" });
  await tell(printed, { ...stepOf(thread), name: "a step that adopts", threads, again: [] });

  const silent = copyOf("thread step 1");
  await strike(silent, stepOf(thread), { role: "agent", n: 5, act: "kill-both" });
  const other = copyWorld(silent, `${silent.folder}-2`, "node");
  await tell(silent, { ...stepOf(thread), name: "a step after an abandoned run", threads, again: [] });
  const kill = killOf(thread);
  await tell(other, { ...kill, name: "kill of an abandoned run", threads, again: [kill] });

  const ending = copyOf("thread kill");
  const decided = numberOf(
    stages,
    "thread kill",
    ({ name, to }) => name === "link" && /\/ending$/.test(to ?? ""),
  );
  const known = stages.find(({ name }) => name === "thread kill")?.threads ?? [];
  const killed = known.at(-1) ?? "";
  await strike(ending, killOf(killed), { role: "uwf", n: decided, act: "kill-after" });
  const late: Command = { ...stepOf(killed), codes: [8] };
  await tell(ending, { ...late, name: "a step that finds an ending", threads: known, again: [late] });
}

/** The number of the first call that fits, in an undisturbed run. */
function numberOf(stages: readonly Stage[], stage: string, fits: (call: Call) => boolean): number {
  const call = stages.find(({ name }) => name === stage)?.calls.find(fits);
  if (call === undefined) throw new Error(`${stage} makes no such call`);
  return call.n;
}

function tellerIn(folder: string, plant: string | null): Teller {
  const stages: Stage[] = [];
  const copyOf = (name: string): World => {
    const stage = stages.find((each) => each.name === name);
    if (stage === undefined) throw new Error(`there is no stage ${name}`);
    return copyWorld(stage.before, join(folder, `copy-${stages.length}`), "node");
  };
  const tell = async (world: World, scene: Scene): Promise<Ran> => {
    const before = copyWorld(world, join(folder, `before-${stages.length}`), "node");
    const log = join(folder, "calls");
    rmSync(log, { force: true });
    const ran = await world.uwf(scene.line(world), { env: injected(NOTHING, { log, plant }) });
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
  return { tell, strike, copyOf, stages };
}

function docOf({ stdout }: Ran): Doc {
  return JSON.parse(stdout);
}
