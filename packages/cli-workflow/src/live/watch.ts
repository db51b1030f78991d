import { statSync } from "node:fs";
import { classifyHolder } from "@uncaged/json-cas-fs";
import {
  eventKindIn,
  type Fault,
  type HeldThread,
  messageOf,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import {
  attempt,
  descendantsOf,
  type EndedThread,
  type LogEntry,
  logDayOf,
  logOffset,
  readFamily,
  readHolder,
  type Storage,
} from "@uncaged/workflow-store";
import type { Redactor } from "@uncaged/workflow-util";
import { followLog } from "../follow.js";
import type { LiveEvent, LiveView } from "./printer.js";
import { listedReader, type RunsLook, runsReader } from "./runs.js";

type Look = {
  readonly events: readonly LiveEvent[];
  readonly view: LiveView;
  /** The thread that is followed has ended, and everything about it has been reported. */
  readonly over: EndedThread | null;
};

/** Each call reports what has happened since the last one. */
type Watch = () => Promise<Result<Look, Fault>>;

type Watched = {
  readonly storage: Storage;
  readonly redactorFor: (thread: ThreadId) => Redactor;
  /** With everything below it; `null`: every thread. */
  readonly thread: ThreadId | null;
  readonly warn: (sentence: string) => void;
};

/**
 * Each look checks first whether the thread is over, then reads the runs, then the log. So a thread that is
 * over has nothing more to report, and a run is reported before its log entries. Fails with what keeps the
 * thread or the log from being read.
 */
export function watchThreads({ storage, redactorFor, thread, warn }: Watched): Result<Watch, Fault> {
  const news = newsOf(storage);
  if (!news.ok) return news;
  const readRuns = runsReader(storage, redactorFor);
  const readMembers = membersReader(storage, thread, warn);
  const readWaiting = waitingReader(storage);
  let touched: ReadonlySet<ThreadId> = new Set();
  return ok(async () => {
    const waiting = await readWaiting(thread, readMembers(), touched);
    if (!waiting.ok) return waiting;
    const runs = await readRuns(isAmong(readMembers()));
    const entries = attempt(() => [...news.value()]);
    if (!entries.ok) return entries;
    // uwf records the parent of a thread before it logs the thread.
    const isMeant = isAmong(readMembers());
    const meantEntries = entries.value.filter((entry): entry is LogEntry => isEvent(entry, isMeant));
    touched = new Set(meantEntries.flatMap((entry) => entry.thread ?? []));
    const { held, over } = waiting.value;
    const lost = runs.lost.map((run) => ({ kind: "abandoned", ...run }) as const);
    const events = [...inOrder(meantEntries, runs, thread), ...lost, ...waiting.value.events];
    return ok({ events, view: { runs: runs.runs, between: runs.between, held }, over });
  });
}

function isAmong(members: ReadonlySet<ThreadId> | null): (thread: ThreadId) => boolean {
  return (thread) => members === null || members.has(thread);
}

/** How much of the end of the log is searched for the beginning of a line. */
const LINE_BYTES = 256 * 1024;

/** What the log gets from now on. */
function newsOf(storage: Storage): Result<() => Iterable<LogEntry | null>, Fault> {
  const day = logDayOf(storage, storage.now());
  return attempt(() => {
    const news = followLog(
      storage,
      { since: null, thread: null },
      { day, offset: logOffset(day, LINE_BYTES) },
    );
    for (const _ of news()) {
      // Happened before.
    }
    return news;
  });
}

/** Runs and what is done to threads; `uwf log` shows the rest. */
function isEvent(entry: LogEntry | null, isMeant: (thread: ThreadId) => boolean): boolean {
  if (entry === null || entry.thread === null || !isMeant(entry.thread)) return false;
  return eventKindIn(entry.line) !== null;
}

/** The log may already have the end of a short run. */
function inOrder(
  entries: readonly LogEntry[],
  { begun }: RunsLook,
  over: ThreadId | null,
): readonly LiveEvent[] {
  const left = new Map(begun);
  const events: LiveEvent[] = [];
  for (const entry of entries) {
    const { run } = entry.line;
    const kind = eventKindIn(entry.line);
    const item = typeof run === "string" ? left.get(run) : undefined;
    if (item !== undefined) events.push({ kind: "running", item });
    if (typeof run === "string") left.delete(run);
    // The end of the thread itself is reported last.
    const isEnd = entry.thread === over && (kind === "ended" || kind === "killed");
    if (!isEnd) events.push({ kind: "logged", entry });
  }
  return [...events, ...[...left.values()].map((item) => ({ kind: "running", item }) as const)];
}

/** The thread and those below it; `null`: every thread. A family that cannot be read is as it was, and a warning. */
function membersReader(
  storage: Storage,
  thread: ThreadId | null,
  warn: (sentence: string) => void,
): () => ReadonlySet<ThreadId> | null {
  if (thread === null) return () => null;
  let members: ReadonlySet<ThreadId> = new Set([thread]);
  let size = -1;
  return () => {
    const now = readSize(storage.paths.children);
    if (now !== size) {
      const family = readFamily(storage);
      if (family.ok) members = new Set([thread, ...descendantsOf(family.value, thread)]);
      else warn(messageOf(family.error));
      size = now;
    }
    return members;
  };
}

function readSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

type Waiting = {
  readonly events: readonly LiveEvent[];
  readonly held: HeldThread | null;
  readonly over: EndedThread | null;
};

/** What the members of a tree wait for, and whether its top is over. */
function waitingReader(storage: Storage) {
  const read = listedReader(storage);
  const printed = new Map<ThreadId, string>();
  const ended = new Set<ThreadId>();
  return async (
    thread: ThreadId | null,
    members: ReadonlySet<ThreadId> | null,
    touched: ReadonlySet<ThreadId>,
  ): Promise<Result<Waiting, Fault>> => {
    const events: LiveEvent[] = [];
    let [own, over]: [HeldThread | null, EndedThread | null] = [null, null];
    for (const member of members ?? []) {
      if (ended.has(member)) continue;
      const listed = await read(member, touched.has(member));
      if (!listed.ok && member === thread) return listed;
      // Its start was cut short, or it is damaged: the others can still be followed.
      if (!listed.ok) continue;
      const state = listed.value;
      const held = state.kind === "active" ? state.held : null;
      if (state.kind === "ended" && member !== thread) ended.add(member);
      if (state.kind === "ended" && member === thread && !isAtWork(storage, thread)) over = state;
      if (member === thread) own = held === null ? null : { thread, held };
      const words = JSON.stringify(held);
      if (words === printed.get(member)) continue;
      // Its uwf has not reported yet what has led to it.
      if (held !== null && isAtWork(storage, member)) continue;
      if (held !== null) events.push({ kind: "held", thread: member, head: state.head, held });
      printed.set(member, words);
    }
    return ok({ events, held: own, over });
  };
}

/** The uwf that has ended it may still have to tell the log. */
function isAtWork(storage: Storage, thread: ThreadId): boolean {
  const holder = attempt(() => readHolder(storage, thread));
  return holder.ok && holder.value !== null && classifyHolder(holder.value) === "alive";
}
