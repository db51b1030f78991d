import { join } from "node:path";
import {
  err,
  type Fault,
  fault,
  ok,
  type PauseRecord,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { readRecord } from "./files.js";
import { isEpochMs, parseRecord } from "./json.js";
import { threadRunsPath } from "./runs/index.js";
import type { Storage } from "./storage.js";

/** Why no further run may start; `null`: the thread is not paused, and no remote has it. */
export function readPause(storage: Storage, thread: ThreadId): Result<PauseRecord | null, Fault> {
  const file = pausePath(storage, thread);
  const text = readRecord(file);
  if (!text.ok || text.value === null) return text.ok ? ok(null) : text;
  const { since, why, remote = false } = parseRecord(text.value) ?? {};
  if (isEpochMs(since) && (why === null || typeof why === "string") && typeof remote === "boolean")
    return ok({ since, why, remote });
  return err(fault("STORE_DAMAGED", { file, reason: "it is not {since, why, remote}" }));
}

/** Whether this root has given the thread to a remote, or has it from one. Until its end; then its line of the history says so. */
export function isOnRemote(storage: Storage, thread: ThreadId): boolean {
  const pause = readPause(storage, thread);
  return pause.ok && pause.value?.remote === true;
}

export function pausePath(storage: Storage, thread: ThreadId): string {
  return join(threadRunsPath(storage, thread), "pause.json");
}
