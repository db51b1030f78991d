import { type Fault, fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { changedAt, findThread, openHistory, readParents, type Storage } from "@uncaged/workflow-store";
import { isInherited, timeOfThreadId } from "@uncaged/workflow-util";

/**
 * Whether an agent of the thread, or of one above it, may have written this file of `.workflows/`: asked after the file was
 * read, so that a write between the two is seen.
 */
export async function isLate(
  storage: Storage,
  thread: ThreadId,
  file: string,
): Promise<Result<boolean, Fault>> {
  const changed = changedAt(file);
  const above = readParents(storage, thread);
  if (!above.ok) return above;
  for (const each of [thread, ...above.value]) {
    const began = await beganAt(storage, each);
    if (!began.ok) return began;
    if (changed > began.value) return ok(true);
  }
  return ok(false);
}

/** When the first agent of the thread's history may have begun, epoch ms: before the thread itself, if that is a fork. */
async function beganAt(storage: Storage, thread: ThreadId): Promise<Result<number, Fault>> {
  const found = await findThread(storage, thread);
  if (!found.ok) return found;
  const history = openHistory(storage.cas, found.value.head);
  if (!history.ok) return history;
  const steps = history.value.last(null);
  if (!steps.ok) return steps;
  const created = timeOfThreadId(thread);
  const start = history.value.start.timestamp;
  const [first] = steps.value;
  return ok(first !== undefined && isInherited(first.timestamp, { created, start }) ? start : created);
}

/** The fault of a file that is late. */
export function lateFault(file: string, thread: ThreadId): Fault {
  const reason = `it has changed since thread ${thread} began, so an agent may have written it`;
  const hint = `read it, and if it is what you want, register it: \`uwf workflow put ${file}\``;
  return fault("INVALID_INPUT", { what: file, reason, hint });
}
