import { err, type Fault, fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { readHistoryOf } from "../archive.js";
import { readHead } from "../heads/index.js";
import { isOnRemote } from "../pause.js";
import type { Storage } from "../storage.js";

/**
 * Refuses what a remote says of a thread that is here, and that this root has neither given to a remote nor has from one: by
 * its id alone a stranger would get its history, move its head, or be its child. One that has ended at `head` changes nothing.
 */
export async function refuseOurs(
  storage: Storage,
  thread: ThreadId,
  head: string | null = null,
): Promise<Result<void, Fault>> {
  const here = await readHead(storage, thread);
  if (!here.ok) return here;
  const line = here.value === null ? readHistoryOf(storage, thread) : ok(null);
  if (!line.ok) return line;
  const isOurs =
    here.value === null ? line.value !== null && !("remote" in line.value) : !isOnRemote(storage, thread);
  if (!isOurs || (head !== null && line.value?.head === head)) return ok(undefined);
  const what = `what the remote says of thread ${thread}`;
  const reason = "this storage root has a thread of that id, which it has never given to a remote";
  return err(fault("INVALID_INPUT", { what, reason, hint: `\`uwf thread push ${thread}\` here gives it` }));
}
