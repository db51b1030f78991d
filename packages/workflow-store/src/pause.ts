import type { Fault, PauseRecord, Result, ThreadId } from "@uncaged/workflow-protocol";
import { isEpochMs } from "./json.js";
import { type RecordShape, readThreadRecord } from "./runs/index.js";
import type { Storage } from "./storage.js";

export const PAUSE: RecordShape<PauseRecord> = {
  name: "pause.json",
  asRecord: ({ since, why, remote }) =>
    isEpochMs(since) && (why === null || typeof why === "string") && typeof remote === "boolean"
      ? { since, why, remote }
      : null,
  otherwise: "it is not {since, why, remote}",
};

/** Why no further run may start; `null`: the thread is not paused, and no remote has it. */
export function readPause(storage: Storage, thread: ThreadId): Result<PauseRecord | null, Fault> {
  return readThreadRecord(storage, thread, PAUSE);
}

/** Whether this root has given the thread to a remote, or has it from one. Until its end; then its line of the history says so. */
export function isOnRemote(storage: Storage, thread: ThreadId): boolean {
  const pause = readPause(storage, thread);
  return pause.ok && pause.value?.remote === true;
}
