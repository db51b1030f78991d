import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listThreads, openStorage } from "@uncaged/workflow-store";
import { type Kind, type Random, randomOf, type Session } from "../frame.js";
import { type Breach, brokenSteps, checkWorld } from "../invariants.js";
import { namesIn, openWorld, putTurns, RUNTIMES, STEPS, startThread, type World } from "../world.js";
import {
  type ActMaker,
  collect,
  fork,
  kill,
  listAll,
  litter,
  type Manner,
  packNodes,
  perform,
  put,
  show,
  showOf,
  start,
  step,
  stepOf,
  steps,
} from "./acts.js";
import { type Act, activeThreads, type Book, brokenSightings, openBook, survivors } from "./book.js";

/** How often each is chosen, relative to the others. */
const MIX: readonly (readonly [ActMaker, number])[] = [
  [step, 30],
  [show, 18],
  [listAll, 7],
  [steps, 7],
  [put, 5],
  [start, 4],
  [fork, 3],
  [kill, 3],
  [litter, 2],
  [collect, 3],
  [packNodes, 2],
];

const TOTAL = MIX.reduce((sum, [, weight]) => sum + weight, 0);

/** The next act; there is always a thread to step. */
function chooseAct(world: World, book: Book, random: Random): Act {
  if (activeThreads(book).length === 0) return start(world, book, random);
  let left = random.below(TOTAL);
  const chosen = MIX.find(([, weight]) => {
    left -= weight;
    return left < 0;
  });
  return (chosen?.[0] ?? show)(world, book, random);
}

/** Steps that a thread can need to its end: all of them, and one for each thing that was left to be taken over. */
const MOST_STEPS = STEPS + 3;

/** Threads that are finished in parallel. */
const LANES = 4;

type Rest = { readonly steps: number; readonly breaches: readonly Breach[] };

/** Steps every thread to its end, which also takes over what killed processes left. */
async function bringToRest(world: World, book: Book): Promise<Rest> {
  const listed = await world.json<readonly { readonly thread: string }[]>(["thread", "list"]);
  const left = new Set([...listed.map(({ thread }) => thread), ...withRuns(world)]);
  const waiting = [...left];
  const rest = { steps: 0, breaches: [] as Breach[] };
  const lane = async (): Promise<void> => {
    for (let thread = waiting.pop(); thread !== undefined; thread = waiting.pop()) {
      const ended = await toItsEnd(world, book, thread);
      rest.steps += ended.steps;
      rest.breaches.push(...ended.breaches);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return { steps: rest.steps, breaches: [...rest.breaches, ...leftOvers(world)] };
}

async function toItsEnd(world: World, book: Book, thread: string): Promise<Rest> {
  const act = { ...stepOf(world, book, thread, ["--wait", "60"]), allowed: [0, 8] };
  const breaches: Breach[] = [];
  for (let count = 1; count <= MOST_STEPS; count += 1) {
    const performed = await perform(world, act, { runtime: RUNTIMES[0], killAfter: null });
    breaches.push(...performed.breaches);
    if (performed.code !== 0) return { steps: count, breaches };
  }
  const evidence = `${thread} after ${MOST_STEPS} steps`;
  return { steps: MOST_STEPS, breaches: [...breaches, { promise: "a thread reaches its end", evidence }] };
}

/** Threads that have a folder of runs, of which an unfinished archive is one. */
function withRuns({ root }: World): readonly string[] {
  const runs = join(root, "runs");
  return namesIn(runs).filter((thread) => namesIn(join(runs, thread)).some((name) => !isKept(name)));
}

/** When every thread has ended there is nothing that anybody will ever look for again; a start that died may have left its folder. */
function leftOvers({ root }: World): readonly Breach[] {
  return namesIn(join(root, "runs"))
    .flatMap((thread) =>
      namesIn(join(root, "runs", thread))
        .filter((name) => !isKept(name))
        .map((name) => `runs/${thread}/${name}`),
    )
    .map((path) => ({ promise: "an ended thread leaves no run", evidence: path }));
}

/** The thread's folder, and what a start that died was writing of it. */
function isKept(name: string): boolean {
  return name.startsWith("cwd.json");
}

/** The shape of one round. */
type Traffic = {
  readonly width: number;
  readonly operations: number;
  /** One of n processes is killed. */
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

/** Many processes at once on one storage root; then, when idle, a check of everything. */
async function playRound(session: Session, number: number, traffic: Traffic): Promise<void> {
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

/** Waits until the world is idle and checks the whole store. */
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
  session.count("nodes packed", book.packed);
  session.count("rounds");
}

function tell({ session, traffic, number }: Round, breaches: readonly Breach[]): void {
  for (const { promise, evidence } of breaches) {
    const where = `seed ${session.seed}, round ${number}, ${traffic.width} processes at once`;
    session.broken(promise, `${where}\n${evidence}`);
  }
}

/** From two processes, which meet in every way that two can, to more than any machine that we know runs. */
const WIDTHS = [2, 8, 32, 4, 16] as const;

const FULL = { operations: 400, killOneIn: 12 };
/** Many are over before their SIGKILL comes, the more the faster the machine is. */
const SAMPLE = { operations: 50, killOneIn: 4 };

/** Many processes on one storage root, some of them killed; then the invariants of the whole store. */
export const concurrency: Kind = {
  name: "concurrency",
  title:
    "2 to 32 processes at once start, step, fork, kill, put, list, pack and collect on one storage root, some are killed; then every chain, head, run and answer is checked",
  sampleRounds: 2,
  weight: 6,
  run: async (session) => {
    const extent = session.level === "sample" ? SAMPLE : FULL;
    for (let round = 0; session.more(round); round += 1) {
      const width = session.level === "sample" ? [2, 12][round % 2] : WIDTHS[round % WIDTHS.length];
      const traffic: Traffic = { ...extent, width: width ?? 2 };
      await playRound(session, round, traffic);
    }
  },
};
