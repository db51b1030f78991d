import { existsSync } from "node:fs";
import {
  type CasRef,
  type Fault,
  NO_LIMITS,
  ok,
  type Result,
  type SpendingLimits,
  type Spent,
  type SpentLine,
  type ThreadId,
  type Usage,
} from "@uncaged/workflow-protocol";
import { timeOfThreadId } from "@uncaged/workflow-util";
import { readChain } from "../chain.js";
import { costsNothing, readSession } from "../detail.js";
import { appendLines, readLines } from "../line-file.js";
import { withIndexLock } from "../locks.js";
import { readFailedRuns } from "../logged-runs.js";
import { isAmount, isText, shapeOf } from "../record.js";
import type { Storage } from "../storage.js";
import { readThreadRecord, threadFilePath, writeThreadFile, writeThreadRecord } from "../thread-records.js";
import { descendantsOf, readFamily } from "./children.js";
import { findThread } from "./find.js";
import { whileActive } from "./hold.js";

// runs/<thread>/spent.jsonl   a line per run of it and of the threads below it, appended when the run has ended
//
// Only a thread that has a limit, its own or one of config.yaml, keeps the second file: its first lines say what was spent
// before. Which limits hold is said in cli-workflow/src/step/spending.ts.

const SPENT = "spent.jsonl";

/** Limits that are not named stay. Takes the index lock. */
export function changeLimits(
  storage: Storage,
  thread: ThreadId,
  change: Partial<SpendingLimits>,
): Promise<Result<void, Fault>> {
  return whileActive(storage, thread, () => {
    const there = readThreadRecord(storage, thread, "limits");
    return there.ok
      ? writeThreadRecord(storage, thread, "limits", { ...NO_LIMITS, ...there.value, ...change })
      : there;
  });
}

/** `null`: spending is not tracked for this thread so far. A line that is there twice counts once. */
export function readSpent(storage: Storage, thread: ThreadId): Result<Spent | null, Fault> {
  if (!keepsSpent(storage, thread)) return ok(null);
  const lines = readLines(spentPath(storage, thread), SPENDING);
  if (!lines.ok) return lines;
  const byRun = new Map(lines.value.map((line) => [line.run, line]));
  return ok(spentOf([...byRun.values()]));
}

const SPENDING = shapeOf<SpentLine>({
  run: isText,
  steps: isAmount,
  ms: isAmount,
  costUsd: isAmount,
  unknownCost: isAmount,
});

function spentOf(lines: readonly SpentLine[]): Spent {
  const sum = (field: "steps" | "ms" | "costUsd" | "unknownCost"): number =>
    lines.reduce((total, line) => total + line[field], 0);
  // Costs are added as binary fractions: 0.1 + 0.2 is to be 0.3.
  const costUsd = Math.round(sum("costUsd") * 1e10) / 1e10;
  const minutes = Math.round(sum("ms") / 600) / 100;
  return { steps: sum("steps"), costUsd, minutes, unknownCost: sum("unknownCost") };
}

/**
 * A run that has ended, before it is removed: after a crash in between it is counted again, still once. Takes the index
 * lock: children that run side by side append to the file of one parent, and a torn end is cut off first.
 */
export function addSpent(
  storage: Storage,
  threads: readonly ThreadId[],
  line: SpentLine,
): Promise<Result<void, Fault>> {
  return withIndexLock(storage, async () => {
    for (const thread of threads) {
      // The thread has ended meanwhile: no limit of it is checked any more.
      if (!keepsSpent(storage, thread)) continue;
      const added = appendLines(spentPath(storage, thread), SPENDING, [line]);
      if (!added.ok) return added;
    }
    return ok(undefined);
  });
}

/** Costs no read of what may be a long file. */
function keepsSpent(storage: Storage, thread: ThreadId): boolean {
  return existsSync(spentPath(storage, thread));
}

/** From now on the thread keeps what it spends, beginning with what it has spent before. Takes the index lock. */
export async function startSpending(storage: Storage, thread: ThreadId): Promise<Result<void, Fault>> {
  if (keepsSpent(storage, thread)) return ok(undefined);
  return withIndexLock(storage, async () => {
    if (keepsSpent(storage, thread)) return ok(undefined);
    const past = await spentBefore(storage, thread);
    if (!past.ok) return past;
    const text = past.value.map((line) => `${JSON.stringify(line)}\n`).join("");
    return writeThreadFile(storage, thread, SPENT, text);
  });
}

/**
 * Gives a thread the limits and the spending of the one that it replaces. No other process may know it yet.
 */
export function inheritSpending(
  storage: Storage,
  { from, to }: { readonly from: ThreadId; readonly to: ThreadId },
): Result<void, Fault> {
  const limits = readThreadRecord(storage, from, "limits");
  if (!limits.ok) return limits;
  const kept = limits.value === null ? ok(undefined) : writeThreadRecord(storage, to, "limits", limits.value);
  const spent = kept.ok ? readSpent(storage, from) : kept;
  if (!spent.ok || spent.value === null) return spent.ok ? ok(undefined) : spent;
  const { minutes, ...sums } = spent.value;
  const line = { run: `before ${from}`, ms: minutes * 60_000, ...sums };
  return writeThreadFile(storage, to, SPENT, `${JSON.stringify(line)}\n`);
}

/** Reads what a thread and those below it have spent: from its spending file, else from their histories. */
export async function readAllSpent(storage: Storage, thread: ThreadId): Promise<Result<Spent, Fault>> {
  const kept = readSpent(storage, thread);
  if (!kept.ok) return kept;
  return kept.value === null ? spentInHistory(storage, thread) : ok(kept.value);
}

/** The same from their history and the log, whatever the thread has taken over from another one. */
export async function spentInHistory(storage: Storage, thread: ThreadId): Promise<Result<Spent, Fault>> {
  const lines = await spentBefore(storage, thread);
  return lines.ok ? ok(spentOf(lines.value)) : lines;
}

/** One line for each of them. */
async function spentBefore(storage: Storage, thread: ThreadId): Promise<Result<readonly SpentLine[], Fault>> {
  const family = readFamily(storage);
  if (!family.ok) return family;
  const lines: SpentLine[] = [];
  for (const each of [thread, ...descendantsOf(family.value, thread)]) {
    const found = await findThread(storage, each);
    // Its start was cut short.
    if (!found.ok && found.error.code === "THREAD_NOT_FOUND") continue;
    if (!found.ok) return found;
    const own = spentByOne(storage, each, found.value.head);
    if (!own.ok) return own;
    lines.push(own.value);
  }
  return ok(lines);
}

function spentByOne(storage: Storage, thread: ThreadId, head: CasRef): Result<SpentLine, Fault> {
  const chain = readChain(storage.cas, head);
  if (!chain.ok) return chain;
  const since = timeOfThreadId(thread);
  const lines: SpentLine[] = [];
  for (const { hash, timestamp, payload } of chain.value.steps) {
    if (timestamp < since) continue;
    const session = readSession(storage.cas, payload.detail);
    if (!session.ok) return session;
    const { durationMs = null, usage = null, extract = null } = session.value ?? {};
    const isFree = session.value === null && costsNothing(storage.cas, payload.detail);
    const usages = extract === null ? [usage] : [usage, extract.usage];
    lines.push({ run: hash, steps: 1, ms: durationMs ?? 0, ...costOf(isFree ? [] : usages) });
  }
  const failed = readFailedRuns(storage, { thread, since });
  for (const { failure, usage, extractUsage, durationMs } of failed.ok ? failed.value : []) {
    if (playsByThreads(failure.agent ?? "")) continue;
    const usages = extractUsage === null ? [usage] : [usage, extractUsage];
    lines.push({ run: "", steps: 0, ms: durationMs ?? 0, ...costOf(usages) });
  }
  const { minutes: _, ...sums } = spentOf(lines);
  return ok({ run: `before ${thread}`, ms: lines.reduce((total, { ms }) => total + ms, 0), ...sums });
}

/** Whether an agent's program takes other threads to their end: what they spend is counted there. */
export function playsByThreads(program: string): boolean {
  return /(?:^|\/)uwf-workflow$/.test(program);
}

/** Of one run: its agent's and its extract's. */
export function costOf(usages: readonly (Usage | null)[]): Pick<SpentLine, "costUsd" | "unknownCost"> {
  const known = usages.flatMap((usage) => usage?.costUsd ?? []);
  return {
    costUsd: known.reduce((total, cost) => total + cost, 0),
    unknownCost: known.length < usages.length ? 1 : 0,
  };
}

function spentPath(storage: Storage, thread: ThreadId): string {
  return threadFilePath(storage, thread, SPENT);
}
