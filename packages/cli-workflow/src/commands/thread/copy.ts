import type { ThreadId } from "@uncaged/workflow-protocol";
import { isOnRemote, type Storage } from "@uncaged/workflow-store";
import type { Messages } from "../../io.js";

/** A change to a thread that a remote has stays in this root. */
export function warnOfCopy({ warn }: Messages, storage: Storage, thread: ThreadId): void {
  if (!isOnRemote(storage, thread)) return;
  warn(
    "the thread goes on at the remote: this counts only for steps that a worker of this storage root takes",
  );
}
