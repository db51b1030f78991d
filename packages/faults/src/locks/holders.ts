import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ownRecord, processState, readLock } from "@uncaged/json-cas-fs";
import { findRuns, openStorage, readPid } from "@uncaged/workflow-store";
import type { Session } from "../frame.js";
import { checkWorld, readLedger } from "../invariants.js";
import {
  ended,
  openWorld,
  putTurns,
  type Ran,
  type RunOptions,
  type Runtime,
  startThread,
  UWF,
  type World,
} from "../world.js";
import { closeGate, deadRecord, livingRecord, plantStale, recordText, STALE, until } from "./workers.js";

const BUSY = 75;
const AGENT_FAILED = 6;

/** One thread in front of one kind of holder. */
type Scene = {
  readonly session: Session;
  readonly world: World;
  readonly thread: string;
  readonly lock: string;
  readonly name: string;
  readonly step: (options?: RunOptions, flags?: readonly string[]) => Promise<Ran>;
  readonly expect: (promise: string, isKept: boolean, seen: Ran | string) => void;
};

type Play = (scene: Scene) => Promise<void>;

/** Every holder that a lock can have, met by `uwf thread step` itself. */
export async function holders(session: Session, runtime: Runtime): Promise<void> {
  const folder = join(session.folder, `holders-${runtime}`);
  mkdirSync(folder);
  const world = openWorld(folder, runtime);
  await putTurns(world);
  const threads: string[] = [];
  for (const [name, play] of Object.entries(PLAYS)) {
    const thread = await startThread(world, name);
    threads.push(thread);
    await play(sceneOf(session, world, thread, `${name} (${runtime})`));
    session.count("holders judged by uwf");
  }
  for (const { promise, evidence } of await checkWorld(world, { threads })) session.broken(promise, evidence);
  rmSync(folder, { recursive: true });
}

function sceneOf(session: Session, world: World, thread: string, name: string): Scene {
  return {
    session,
    world,
    thread,
    name,
    lock: join(world.root, "locks", `thread-${thread}.lock`),
    step: (options = {}, flags = []) =>
      world.uwf(["thread", "step", thread, ...flags, ...world.agent], options),
    expect: (promise, isKept, seen) => {
      if (isKept) return;
      const said = typeof seen === "string" ? seen : `exit ${seen.code ?? seen.signal}: ${seen.stderr}`;
      session.broken(promise, `seed ${session.seed}, holder: ${name}\n${said}`);
    },
  };
}

/** The lock of a thread as a file, whoever holds it. */
function plant({ lock }: Scene, text: string): void {
  mkdirSync(join(lock, ".."), { recursive: true });
  writeFileSync(lock, text);
}

function starts({ world, thread }: Scene): number {
  return readLedger(world.ledger).filter((start) => start.thread === thread).length;
}

/** One that is provably gone is no obstacle. */
async function stepsAtOnce(scene: Scene): Promise<void> {
  const ran = await scene.step();
  scene.expect("a dead holder's lock is taken over", ran.code === 0, ran);
  scene.expect("an agent runs once", starts(scene) === 1, `${starts(scene)} starts`);
}

/** One that cannot be judged is an obstacle until a person says otherwise. */
async function needsForce(scene: Scene): Promise<void> {
  const { world, thread, step, expect } = scene;
  const busy = await step();
  expect("a holder that cannot be judged counts as alive", busy.code === BUSY, busy);
  const kept = await world.uwf(["thread", "unlock", thread]);
  expect("a lock is not taken from a holder that may live", readLock(scene.lock) !== null, kept);
  const forced = await world.uwf(["thread", "unlock", thread, "--force"]);
  expect("a person can release any lock", forced.code === 0 && readLock(scene.lock) === null, forced);
  await stepsAtOnce(scene);
}

const planted =
  (record: Partial<ReturnType<typeof ownRecord>>): Play =>
  async (scene) => {
    plant(scene, recordText({ ...livingRecord(ownRecord(0, null).nonce), ...record }));
    await needsForce(scene);
  };

const stale =
  (kind: (typeof STALE)[number]): Play =>
  async (scene) => {
    mkdirSync(join(scene.lock, ".."), { recursive: true });
    plantStale(scene.lock, kind, await deadRecord());
    await stepsAtOnce(scene);
  };

/** uwf is killed while its agent works: busy as long as the agent lives, then its result is taken over. */
const agentAlone: Play = async (scene) => {
  const { world, thread, step, expect } = scene;
  const gate = closeGate(world, thread);
  const child = world.start(["thread", "step", thread, ...world.agent], { env: gate.env });
  const run = ended(child);
  await gate.reached();
  child.kill("SIGKILL");
  await run;
  const busy = await step();
  expect("an agent whose uwf is gone keeps its thread busy", busy.code === BUSY, busy);
  gate.open();
  const adopted = await step({}, ["--wait", "60"]);
  expect("the result of an agent whose uwf is gone is used", adopted.code === 0, adopted);
  expect("an agent runs once", starts(scene) === 1, `${starts(scene)} starts`);
};

/** Nobody has asked yet how the killed uwf ended: a zombie, which holds nothing. */
const zombie: Play = async (scene) => {
  const { world, thread, step, expect } = scene;
  const gate = closeGate(world, thread);
  // The shell starts uwf and then becomes a program that never waits for it.
  const script = '"$@" >/dev/null 2>&1 & exec sleep 600';
  const args = ["-c", script, "sh", UWF, "thread", "step", thread, ...world.agent];
  const parent = world.start(args, { env: gate.env, program: "/bin/sh" });
  const gone = ended(parent);
  try {
    await gate.reached();
    const holder = readLock(scene.lock)?.pid ?? 0;
    expect("a step holds its thread's lock", holder > 0, "no record");
    if (holder === 0) return;
    process.kill(holder, "SIGKILL");
    await until("uwf is a zombie", () => processState(holder) === "Z");
    gate.open();
    const adopted = await step({}, ["--wait", "60"]);
    expect("a zombie holds no lock", adopted.code === 0 && processState(holder) === "Z", adopted);
    expect("an agent runs once", starts(scene) === 1, `${starts(scene)} starts`);
  } finally {
    parent.kill("SIGKILL");
    await gone;
  }
};

/** uwf lives, stopped, and its agent is dead: nobody else steps, and it tells of the failure when it goes on. */
const holderAlone: Play = async (scene) => {
  const { world, thread, step, expect } = scene;
  const gate = closeGate(world, thread);
  const child = world.start(["thread", "step", thread, ...world.agent], { env: gate.env });
  const run = ended(child);
  await gate.reached();
  child.kill("SIGSTOP");
  endAgent(scene);
  const busy = await step();
  expect("a holder that lives keeps its lock", busy.code === BUSY, busy);
  child.kill("SIGCONT");
  const failed = await run;
  expect("an agent that was killed has failed", failed.code === AGENT_FAILED, failed);
  gate.open();
  const next = await step();
  expect("the next step goes on", next.code === 0, next);
  expect("a failed run is run again, once", starts(scene) === 2, `${starts(scene)} starts`);
};

/** The group of the one run that this scene has started. */
function endAgent({ world, thread, expect }: Scene): void {
  const runs = findRuns(openStorage(world.root, { now: Date.now }), thread as never);
  const agent = runs.ok && runs.value[0] !== undefined ? readPid(runs.value[0]) : null;
  expect("a run names its agent", agent !== null, JSON.stringify(runs));
  if (agent !== null) process.kill(-agent.pid, "SIGKILL");
}

const unreadable: Play = async (scene) => {
  plant(scene, "{");
  await needsForce(scene);
};

const oldUnreadable: Play = async (scene) => {
  plant(scene, "\0\0\0\0");
  utimesSync(scene.lock, 1, 1);
  await stepsAtOnce(scene);
};

const PLAYS: Readonly<Record<string, Play>> = {
  ...Object.fromEntries(STALE.map((kind) => [kind, stale(kind)])),
  "on another host": planted({ host: "another-host" }),
  "in another pid namespace": planted({ pidNamespace: "pid:[1]" }),
  "alive, its agent dead": holderAlone,
  "dead, its agent alive": agentAlone,
  "a zombie": zombie,
  unreadable,
  "unreadable, older than this boot": oldUnreadable,
};
