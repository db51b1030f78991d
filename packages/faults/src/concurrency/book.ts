import { type ListedThread, readChain, type Storage } from "@uncaged/workflow-store";
import type { Breach } from "../invariants.js";
import { processesOf, type Ran, type World } from "../world.js";

/** When a process was started and when it had ended, in ms of one monotonic clock. */
export type Interval = { readonly began: number; readonly ended: number };

/** A thread's head according to an answer. */
type Sighting = Interval & {
  readonly thread: string;
  readonly head: string;
  /** The command that said so. */
  readonly by: string;
};

/** One command line, what it may end with, and what follows from its answer. */
export type Act = {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Exit codes that keep every promise. */
  readonly allowed: readonly number[];
  /** Messages with which exit 7 is allowed too. */
  readonly excuse: string | null;
  /** Called with what it printed when it ended with 0. */
  readonly learn: (ran: Ran, when: Interval) => readonly Breach[];
};

/** Everything that is known from the answers so far. */
export type Book = {
  /** Every thread that a command said it had made. */
  readonly threads: Set<string>;
  /** Thread to the head that it was forked from; `null` for one that was started. */
  readonly origins: Map<string, string | null>;
  /** Threads that have ended, with the command that said so first and when it had said it. */
  readonly done: Map<string, { readonly by: string; readonly at: number }>;
  /** Threads whose uwf was killed while it stepped them. */
  readonly orphans: string[];
  /** Heads that can be forked. */
  readonly heads: Set<string>;
  readonly sightings: Sighting[];
  /** Nodes that gc reported as removed. */
  collected: number;
  packed: number;
};

export function openBook(): Book {
  return {
    threads: new Set(),
    origins: new Map(),
    done: new Map(),
    orphans: [],
    heads: new Set(),
    sightings: [],
    collected: 0,
    packed: 0,
  };
}

export function activeThreads(book: Book): readonly string[] {
  return [...book.threads].filter((thread) => !book.done.has(thread));
}

export function isDone(book: Book, thread: string, by: string, { ended }: Interval): void {
  if (!book.done.has(thread)) book.done.set(thread, { by, at: ended });
}

type Seen = {
  readonly thread: string;
  readonly head: string;
  /** `null`: the answer does not say. */
  readonly done: boolean | null;
};

/** Records a thread's head; a thread that has ended must not continue later. */
export function see(book: Book, by: string, { thread, head, done }: Seen, when: Interval): readonly Breach[] {
  book.sightings.push({ ...when, thread, head, by });
  book.heads.add(head);
  const ended = book.done.get(thread);
  if (done === true) isDone(book, thread, by, when);
  if (done !== false || ended === undefined || ended.at >= when.began) return [];
  const evidence = `${thread}: ended according to ${ended.by}, later active according to ${by}`;
  return [{ promise: "what has ended stays ended", evidence }];
}

/**
 * The answers about a thread must be linearizable: all heads that were seen are on its chain, and a later query never
 * saw an earlier head.
 */
export function brokenSightings(
  storage: Storage,
  states: readonly ListedThread[],
  sightings: readonly Sighting[],
): readonly Breach[] {
  const byThread = new Map<string, Sighting[]>();
  for (const sighting of sightings) {
    byThread.set(sighting.thread, [...(byThread.get(sighting.thread) ?? []), sighting]);
  }
  return states.flatMap((state) => {
    const chain = readChain(storage.cas, state.head);
    if (!chain.ok) return [];
    const places = new Map<string, number>(
      [chain.value.start, ...chain.value.steps].map(({ hash }, place) => [hash, place]),
    );
    return brokenOrder(state.thread, byThread.get(state.thread) ?? [], places);
  });
}

function brokenOrder(
  thread: string,
  sightings: readonly Sighting[],
  places: ReadonlyMap<string, number>,
): readonly Breach[] {
  const found: Breach[] = [];
  const placed: (Sighting & { readonly place: number })[] = [];
  for (const sighting of sightings) {
    const place = places.get(sighting.head);
    if (place !== undefined) placed.push({ ...sighting, place });
    else
      found.push({
        promise: "a head never goes back",
        evidence: `${said(thread, sighting)}, not in its chain`,
      });
  }
  for (const later of placed) {
    const earlier = placed.find(({ ended, place }) => ended < later.began && place > later.place);
    if (earlier === undefined) continue;
    const evidence = `${said(thread, later)} after ${said(thread, earlier)}, which is a later step`;
    found.push({ promise: "a head never goes back", evidence });
  }
  return found;
}

function said(thread: string, { by, head }: Sighting): string {
  return `${by} said ${thread} stands at ${head}`;
}

const PATIENCE_MS = 10_000;
const POLL_MS = 50;

/** Processes that this world has started and that stay after some ms of rest. They are ended. */
export async function survivors(world: World, patience = PATIENCE_MS): Promise<readonly Breach[]> {
  const deadline = performance.now() + patience;
  for (let left = processesOf(world); ; left = processesOf(world)) {
    if (left.length === 0) return [];
    if (performance.now() > deadline) {
      for (const { pid } of left) end(pid);
      return left.map(({ pid, words }) => ({
        promise: "no process outlives its thread",
        evidence: `${pid}: ${words}`,
      }));
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}
