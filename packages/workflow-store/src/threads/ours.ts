import { err, type Fault, fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { indexHistory } from "../archive.js";
import { readHead } from "../heads/index.js";
import { isOnRemote } from "../pause.js";
import type { Storage } from "../storage.js";

/**
 * Refuses a remote's word on a thread of this root that was neither given to a remote nor fetched from one:
 * knowing its id alone, a stranger could get its history, move its head or become its child. A thread that
 * has ended at `head` is left as it is; a thread that was removed here is not brought back.
 */
export async function refuseOurs(
  storage: Storage,
  thread: ThreadId,
  head: string | null = null,
): Promise<Result<void, Fault>> {
  const here = await readHead(storage, thread);
  if (!here.ok) return here;
  const history = here.value === null ? indexHistory(storage, thread) : ok(null);
  if (!history.ok) return history;
  const ended = history.value?.line(thread) ?? null;
  const line = ended ?? history.value?.removedLine(thread) ?? null;
  const isOurs = here.value === null ? line !== null && !("remote" in line) : !isOnRemote(storage, thread);
  if (!isOurs || (head !== null && ended?.head === head)) return ok(undefined);
  const what = `what the remote says of thread ${thread}`;
  const reason = "this storage root has a thread of that id, which it has never given to a remote";
  return err(fault("INVALID_INPUT", { what, reason, hint: `\`uwf thread push ${thread}\` here gives it` }));
}
