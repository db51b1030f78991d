import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listThreads, openStorage } from "@uncaged/workflow-store";
import { type Random, randomOf, type Session } from "../frame/index.js";
import { type Breach, brokenSteps, checkWorld } from "../invariants/index.js";
import { openWorld, putTurns, RUNTIMES, startThread, type World } from "../world/index.js";
import { showOf, stepOf } from "./acts.js";
import { openBook } from "./book.js";
import { chooseAct } from "./choose.js";
import { type Manner, perform } from "./perform.js";
import { bringToRest } from "./rest.js";
import { brokenSightings } from "./sightings.js";
import { survivors } from "./survivors.js";
import type { Act, Book } from "./types.js";

/** The shape of one round. */
export type Traffic = {
  readonly width: number;
  readonly operations: number;
  /** One process in so many is killed at some moment. */
  readonly killOneIn: number;
};

/** A process that is killed lives so many ms at most: until before it has begun, or until its agent works. */
const LIVES_MS = [60, 250, 500] as const;

/** One process in so many runs on another runtime than the fast one, where there are two. */
const SLOW_ONE_IN = 12;

type Round = {
  readonly session: Session;
  readonly world: World;
  readonly book: Book;
  readonly traffic: Traffic;
  readonly number: number;
};

/** Many processes at once on one storage root; then peace, and a look at everything. */
export async function playRound(session: Session, number: number, traffic: Traffic): Promise<void> {
  const folder = join(session.folder, `round-${number}`);
  mkdirSync(folder);
  const world = openWorld(folder, RUNTIMES[0]);
  const round = { session, world, book: openBook(), traffic, number };
  try {
    await prepare(round);
    await stampede(round);
    await crowd(round);
    await look(round);
  } finally {
    tell(round, await survivors(world));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function prepare(round: Round): Promise<void> {
  const { world, book } = round;
  await putTurns(world);
  const text = readFileSync(join(world.cwd, "turns.yaml"), "utf8");
  for (const version of ["first", "second"]) {
    mkdirSync(join(world.cwd, version));
    const changed = text.replace(/^description: .*$/m, `description: The ${version} text`);
    writeFileSync(join(world.cwd, version, "turns.yaml"), changed);
  }
  const thread = await startThread(world);
  book.threads.add(thread);
  book.origins.set(thread, null);
  // A head to fork, and a thread to step, whatever becomes of the first steps.
  tell(
    round,
    (await perform(world, showOf(book, thread), { runtime: RUNTIMES[0], killAfter: null })).breaches,
  );
}

/** All step one thread at the same moment. */
async function stampede(round: Round): Promise<void> {
  const { world, book, session, traffic } = round;
  const [thread = ""] = book.threads;
  const acts = Array.from({ length: traffic.width }, () => stepOf(world, book, thread, []));
  await Promise.all(acts.map((act) => doOne(round, act, mannerOf(session.random, traffic))));
}

/** As many clients as the round is wide, each doing one thing after another. */
async function crowd(round: Round): Promise<void> {
  const { session, world, book, traffic } = round;
  let left = traffic.operations - traffic.width;
  // On a slow or busy machine a round can be longer than the time that is left.
  const inTime = (): boolean => session.level === "sample" || session.more(Number.POSITIVE_INFINITY);
  const client = async (random: Random): Promise<void> => {
    while (left > 0 && inTime()) {
      left -= 1;
      await doOne(round, chooseAct(world, book, random), mannerOf(random, traffic));
    }
  };
  const clients = Array.from({ length: traffic.width }, () => randomOf(session.random.below(2 ** 32)));
  await Promise.all(clients.map(client));
}

function mannerOf(random: Random, { killOneIn }: Traffic): Manner {
  const runtime = (random.below(SLOW_ONE_IN) === 0 ? RUNTIMES.at(-1) : null) ?? RUNTIMES[0];
  const isKilled = random.below(killOneIn) === 0;
  return { runtime, killAfter: isKilled ? random.below(random.pick(LIVES_MS)) : null };
}

async function doOne(round: Round, act: Act, manner: Manner): Promise<void> {
  const { count } = round.session;
  const { outcome, code, breaches } = await perform(round.world, act, manner);
  count("operations");
  if (act.name === "step") count("steps tried");
  if (act.name === "gc") count("collections");
  if (outcome === "killed") count("killed with SIGKILL");
  if (code === 6) count("failed agents");
  if (code === 75) count("found busy");
  // A step whose uwf was killed leaves an agent behind: what ends such a thread meets it.
  if (outcome === "killed" && act.name === "step") round.book.orphans.push(act.args[2] ?? "");
  tell(round, breaches);
}

/** Brings the world to rest and holds the whole store against its promises. */
async function look(round: Round): Promise<void> {
  const { session, world, book } = round;
  const rest = await bringToRest(world, book);
  session.count("operations", rest.steps);
  const storage = openStorage(world.root, { now: Date.now });
  const states = await listThreads(storage, { all: true });
  tell(round, [
    ...rest.breaches,
    ...(await checkWorld(world, { threads: [...book.threads] })),
    ...(await brokenSteps(world, book.origins)),
    ...(states.ok ? brokenSightings(storage, states.value, book.sightings) : []),
  ]);
  session.count("threads checked", states.ok ? states.value.length : 0);
  session.count("nodes collected", book.collected);
  session.count("rounds");
}

function tell({ session, traffic, number }: Round, breaches: readonly Breach[]): void {
  for (const { promise, evidence } of breaches) {
    const where = `seed ${session.seed}, round ${number}, ${traffic.width} processes at once`;
    session.broken(promise, `${where}\n${evidence}`);
  }
}
