import { type Fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import {
  checkTrust,
  descendantsOf,
  findThread,
  isOnRemote,
  readFamily,
  type Storage,
  type ThreadState,
} from "@uncaged/workflow-store";
import { createEventLog, type EventLog } from "@uncaged/workflow-util";
import type { CommandContext } from "../../line/index.js";
import { counted } from "../../screen/index.js";

// What commands that change a thread have in common.

/** A thread of a root that is ours: a stranger's would have us write where it leads. */
export async function findTrusted(
  { host }: CommandContext,
  storage: Storage,
  text: string,
  use: "change" | "end",
): Promise<Result<ThreadState, Fault>> {
  const trusted = checkTrust(storage, host.env);
  return trusted.ok ? findThread(storage, text, host.cwd, use) : trusted;
}

/** The log of what people do to a thread; `null`: to none. */
export function eventLog({ host }: CommandContext, { paths }: Storage, thread: ThreadId | null): EventLog {
  return createEventLog({ dir: paths.logs, now: host.now, thread });
}

/** Changes the threads below one, nearest first, and gives those that were changed. */
export async function changeBelow(
  storage: Storage,
  thread: ThreadId,
  change: (child: ThreadId) => Promise<Result<void, Fault>>,
): Promise<Result<readonly ThreadId[], Fault>> {
  const family = readFamily(storage);
  if (!family.ok) return family;
  const changed: ThreadId[] = [];
  for (const child of descendantsOf(family.value, thread)) {
    const one = await change(child);
    if (one.ok) changed.push(child);
    else if (!NOT_THERE.has(one.error.code)) return one;
  }
  return ok(changed);
}

/** It has ended by itself; or its start was cut short, so that it never was. */
const NOT_THERE: ReadonlySet<string> = new Set(["THREAD_ENDED", "THREAD_NOT_FOUND"]);

/** ` and 2 threads below it` */
export function belowWords({ length }: readonly ThreadId[]): string {
  return length === 0 ? "" : ` and ${counted(length, "thread")} below it`;
}

/** A change to a thread that a remote has stays in this root. */
export function warnOfCopy({ warn }: CommandContext, storage: Storage, thread: ThreadId): void {
  if (!isOnRemote(storage, thread)) return;
  warn(
    "the thread goes on at the remote: this counts only for steps that a worker of this storage root takes",
  );
}
