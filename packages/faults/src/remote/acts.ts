import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../frame.js";
import { ended, processesOf, type Running } from "../world.js";
import { type Fleet, type Member, startsIn } from "./fleet.js";

/** What the acts know of one another. */
export type Book = {
  readonly random: Random;
  /** Tokens of runs whose agent was killed. */
  readonly killedRuns: Set<string>;
};

const PATIENCE_MS = 60_000;
const POLL_MS = 20;

/** Looks until there is something; `null`: there was nothing for a minute, or every thread had ended before. */
export async function found<T>(
  { remote }: Fleet,
  look: () => T | null | Promise<T | null>,
): Promise<T | null> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let looks = 1; Date.now() < deadline; looks += 1) {
    const seen = await look();
    if (seen !== null) return seen;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (looks % 10 !== 0) continue;
    const left = await remote.isBusy(null);
    if (left.ok && !left.value) return null;
  }
  return null;
}

type Act = (fleet: Fleet, book: Book) => Promise<void>;

/** What is done to somebody, as soon as there is somebody, and how often in a full round. */
export const ACTS: readonly (readonly [act: Act, times: number])[] = [
  [killWorker, 35],
  [(fleet, book) => killOne(fleet, book, "kills of uwf", isUwf), 30],
  [(fleet, book) => killOne(fleet, book, "kills of agents", (each) => isAgent(fleet, each)), 25],
  [(fleet, book) => killOne(fleet, book, "kills of git", isGit), 15],
  [killRoot, 10],
  [deleteRoot, 4],
  [freeze, 4],
  [restart, 4],
  [startSecond, 4],
];

function runOf({ env }: Running): string {
  return env.UWF_RUN ?? "";
}

function rootOf({ env }: Running): string {
  return env.UNCAGED_WORKFLOW_STORAGE_ROOT ?? "";
}

function isUwf(running: Running): boolean {
  return runOf(running) === "" && running.words.includes("thread step");
}

/** One that a worker runs in a thread's folder. */
function isGit({ words }: Running): boolean {
  return words.startsWith("git ") && words.includes("--work-tree=");
}

/** The process that uwf started for a run; its own children are not in the ledger. */
function isAgent({ world }: Fleet, running: Running): boolean {
  return startsIn(world).some(({ run, pid }) => run === runOf(running) && pid === running.pid);
}

function some<T>({ random }: Book, all: readonly T[]): T | null {
  return all[random.below(all.length)] ?? null;
}

/** A member whose agents run. */
function working(fleet: Fleet, book: Book): Promise<Member | null> {
  return found(fleet, () => {
    const running = processesOf(fleet.world).filter((each) => isAgent(fleet, each));
    const roots = new Set(running.map(rootOf));
    return some(
      book,
      fleet.members.filter(({ root, isOver }) => !isOver && roots.has(root)),
    );
  });
}

function kill(running: Running, { killedRuns }: Book): boolean {
  if (runOf(running) !== "") killedRuns.add(runOf(running));
  return signal(running.pid, "SIGKILL");
}

/** `false`: it has ended meanwhile. */
function signal(pid: number | undefined, name: NodeJS.Signals): boolean {
  try {
    return pid !== undefined && process.kill(pid, name);
  } catch {
    return false;
  }
}

async function killOne(
  fleet: Fleet,
  book: Book,
  figure: string,
  isVictim: (running: Running) => boolean,
): Promise<void> {
  const victim = await found(fleet, () => some(book, processesOf(fleet.world).filter(isVictim)));
  if (victim !== null && kill(victim, book)) fleet.count(figure);
}

async function killWorker(fleet: Fleet, book: Book): Promise<void> {
  const member = await working(fleet, book);
  if (member !== null && signal(member.child.pid, "SIGKILL")) fleet.count("kills of workers");
}

/** As the end of a machine: first the worker, which would start others. */
async function killRoot(fleet: Fleet, book: Book): Promise<void> {
  const member = await working(fleet, book);
  if (member === null || !signal(member.child.pid, "SIGKILL")) return;
  for (const running of processesOf(fleet.world)) {
    if (rootOf(running) === member.root && running.pid !== member.child.pid) kill(running, book);
  }
  fleet.count("kills of a worker with its uwf and agents");
}

/** What it had is lost; another root takes its place. */
async function deleteRoot(fleet: Fleet, book: Book): Promise<void> {
  const chosen = await working(fleet, book);
  if (chosen === null) return;
  chosen.isOver = true;
  signal(chosen.child.pid, "SIGKILL");
  const isGone = await found(fleet, () => {
    const left = processesOf(fleet.world).filter((each) => rootOf(each) === chosen.root);
    for (const running of left) kill(running, book);
    return left.length === 0 ? true : null;
  });
  if (isGone !== true) fleet.tell("the harness ends its processes", chosen.root);
  rmSync(chosen.root, { recursive: true, force: true });
  fleet.count("roots deleted");
  fleet.addMember();
}

/** Its uwf and agents go on; when it may go on too, others have its threads. */
async function freeze(fleet: Fleet, book: Book): Promise<void> {
  const { world, remote, count } = fleet;
  const member = await working(fleet, book);
  if (member === null || !signal(member.child.pid, "SIGSTOP")) return;
  const name = JSON.parse(readFileSync(join(member.root, "root.json"), "utf8")).name;
  const isTaken = await found(fleet, async () => {
    const status = await remote.status();
    if (!status.ok) return null;
    const its = status.value.roots.find(({ root }) => root === name);
    const runs = processesOf(world).some(
      (each) => rootOf(each) === member.root && each.pid !== member.child.pid,
    );
    return its?.isLost === true && its.threads === 0 && !runs ? true : null;
  });
  if (isTaken === true) count("workers frozen beyond their lease");
  signal(member.child.pid, "SIGCONT");
}

async function restart({ server, count }: Fleet, { random }: Book): Promise<void> {
  await server.stop();
  await new Promise((resolve) => setTimeout(resolve, random.below(1500)));
  await server.start();
  count("restarts of PostgreSQL");
}

async function startSecond(fleet: Fleet, book: Book): Promise<void> {
  const member = await found(fleet, () =>
    some(
      book,
      fleet.members.filter((each) => hasLock(fleet, each)),
    ),
  );
  if (member === null) return;
  const { code, stderr } = await ended(fleet.start(member.root, ["worker", "--until-idle"]));
  if (code === 75 && stderr.includes("WORKER_BUSY")) return fleet.count("second workers refused");
  fleet.tell("a root has one worker", `${code}: ${stderr.slice(-600)}`);
}

/** Nobody kills it meanwhile: acts come one after the other. */
function hasLock({ world }: Fleet, { root, child, isOver }: Member): boolean {
  const lock = join(root, "locks/worker.lock");
  const isHeld = existsSync(lock) && readFileSync(lock, "utf8").includes(`"pid":${child.pid},`);
  return !isOver && isHeld && processesOf(world).some(({ pid }) => pid === child.pid);
}
