import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type LockRecord, readLock } from "@uncaged/json-cas-fs";
import type { Kind, Session } from "../frame.js";
import { RUNTIMES } from "../world.js";
import { type Answer, deadRecord, plantStale, STALE, startWorker, type Worker } from "./workers.js";

/** How many break one lock at once, one round after another. */
const CROWDS = [2, 50, 2, 8, 2, 3] as const;

/** ms that everybody gets to be awake at the same moment: for two, and for each one more. */
const HEAD_START = 2;
const HEAD_START_EACH = 0.25;

/** Calls to the file system that taking over a stale lock makes at most; a dying breaker dies at one of them. */
const CALLS = 34;

/** In one round of so many, breakers die: before the others come, or among them. */
const DEATH_ONE_IN = 5;

export type Contest = {
  readonly session: Session;
  /** URL of the module whose `tryLock` and `releaseLock` are put to the test. */
  readonly library: string;
};

type Arena = Contest & { readonly workers: readonly Worker[]; readonly dead: LockRecord };

/** Rounds in which many processes see one stale lock at the same moment: exactly one may take it. */
export async function contest(given: Contest): Promise<void> {
  const { session, library } = given;
  const most = Math.max(...CROWDS);
  const runtimes = Array.from({ length: most }, (_, index) => RUNTIMES[index % RUNTIMES.length] ?? "node");
  const workers = await Promise.all(runtimes.map((runtime) => startWorker(library, runtime, session.folder)));
  try {
    const arena = { ...given, workers, dead: await deadRecord() };
    for (let round = 0; session.more(round); round += 1) {
      await play(arena, round);
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
  }
}

async function play(arena: Arena, round: number): Promise<void> {
  const { session, dead } = arena;
  const size = CROWDS[round % CROWDS.length] ?? 2;
  const stale = session.random.pick(STALE);
  const folder = join(session.folder, `round-${round}`);
  const path = join(folder, "thread.lock");
  mkdirSync(folder);
  plantStale(path, stale, dead);
  const deaths = session.random.below(DEATH_ONE_IN) === 0 ? 1 + session.random.below(3) : 0;
  const among = session.random.below(2) === 0;
  const dying = await dyingWorkers(arena, deaths);
  if (!among) for (const worker of dying) await askToDie(arena, worker, path, Date.now());
  const at = Date.now() + HEAD_START + size * HEAD_START_EACH;
  const crowd = crowdOf(arena, size);
  const [answers] = await Promise.all([
    Promise.all(crowd.map((worker) => worker.ask({ do: "break", path, at }))),
    ...(among ? dying.map((worker) => askToDie(arena, worker, path, at)) : []),
  ]);
  const label = `seed ${session.seed}, round ${round}: ${size} processes, lock ${stale}, ${deaths} dying breakers ${among ? "among them" : "before"}`;
  const winner = judge(arena, label, { path, crowd, answers, mayAllLose: among && deaths > 0 });
  await settle(arena, label, { path, crowd, winner, hasLitter: deaths > 0 });
  rmSync(folder, { recursive: true });
  count(session, size, deaths);
}

function count({ count: add }: Session, size: number, deaths: number): void {
  add("rounds");
  add("contenders", size);
  if (size === 50) add("rounds of fifty");
  if (deaths > 0) add("breakers killed while breaking", deaths);
}

/** Others each time, and both runtimes among them. */
function crowdOf({ workers, session }: Arena, size: number): readonly Worker[] {
  const first = session.random.below(workers.length);
  return Array.from({ length: size }, (_, index) => workers[(first + index) % workers.length]).filter(
    (worker) => worker !== undefined,
  );
}

/** On Node.js: there every call to the file system can be counted. */
function dyingWorkers({ library, session }: Arena, deaths: number): Promise<readonly Worker[]> {
  const start = () => startWorker(library, "node", session.folder);
  return Promise.all(Array.from({ length: deaths }, start));
}

async function askToDie({ session }: Arena, worker: Worker, path: string, at: number): Promise<void> {
  await worker.ask({ do: "die", path, at, call: 1 + session.random.below(CALLS) });
  await worker.end();
}

type Outcome = {
  readonly path: string;
  readonly crowd: readonly Worker[];
  readonly answers: readonly Answer[];
  /** A breaker that died under their eyes can have kept the others out. */
  readonly mayAllLose: boolean;
};

function judge(
  { session }: Arena,
  label: string,
  { path, crowd, answers, mayAllLose }: Outcome,
): Worker | null {
  const winners = crowd.filter((_, index) => answers[index]?.kind === "lock");
  const said = `${label}\n${winners.length} of ${crowd.length} have the lock`;
  if (winners.length > 1 || (winners.length === 0 && !mayAllLose))
    session.broken("of all that see a stale lock exactly one takes it", said);
  if (answers.some((answer) => answer.kind === "lock" && !answer.alone))
    session.broken("a lock has one holder", said);
  if (answers.some((answer) => answer.kind === "gone")) session.broken("taking a lock does not fail", said);
  const [winner] = winners;
  if (winner !== undefined && readLock(path)?.pid !== winner.pid) {
    session.broken("the winner's record stands in the lock", `${label}\n${JSON.stringify(readLock(path))}`);
  }
  return winner ?? null;
}

type Settled = {
  readonly path: string;
  readonly crowd: readonly Worker[];
  readonly winner: Worker | null;
  readonly hasLitter: boolean;
};

/** The winner gives the lock back and somebody else gets it at once; without a death nothing is left lying about. */
async function settle(
  { session }: Arena,
  label: string,
  { path, crowd, winner, hasLitter }: Settled,
): Promise<void> {
  for (const worker of crowd) if (winner !== null) await worker.ask({ do: "release" });
  const next = crowd.at(-1);
  const again = await next?.ask({ do: "break", path, at: 0 });
  if (again?.kind !== "lock") session.broken("a lock that nobody holds can be taken", label);
  await next?.ask({ do: "release" });
  const left = readdirSync(join(path, ".."));
  if (!hasLitter && left.length > 0) session.broken("a lock leaves nothing behind", `${label}\n${left}`);
}

/** Stale locks of every origin, and that never two processes take one. */
export const locks: Kind = {
  name: "locks",
  title:
    "stale locks (holder killed, pid reused, machine restarted, content lost) broken by 2 to 50 processes at once, some of which die while they break",
  sampleRounds: 30,
  weight: 3,
  run: (session) => contest({ session, library: builtLibrary() }),
};

/** The library as JavaScript, which is what plain processes can load. Built first; nothing to do when it is up to date. */
function builtLibrary(): string {
  const repository = resolve(import.meta.dirname, "../../../..");
  const library = join(repository, "packages/json-cas-fs");
  const tsc = join(repository, "node_modules/typescript/bin/tsc");
  const built = spawnSync(process.execPath, [tsc, "--build", library], { encoding: "utf8" });
  if (built.status !== 0) throw new Error(`${built.stdout}${built.stderr}`);
  return pathToFileURL(join(library, "dist/index.js")).href;
}
