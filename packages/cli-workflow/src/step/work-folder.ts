import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { keepFolder, readFolder } from "@uncaged/workflow-store";
import { refusalOf } from "../folder/index.js";
import type { Road } from "./types.js";

/** Where the thread's agents work, whoever calls the step: a thread that has no folder yet keeps the caller's. */
export function workFolder({ storage, thread, host }: Road): Result<string, Fault> {
  const folder = readFolder(storage, thread);
  if (!folder.ok) return folder;
  if (folder.value === null) {
    const kept = keepFolder(storage, thread, host.cwd);
    return kept.ok ? ok(host.cwd) : kept;
  }
  const reason = refusalOf(folder.value);
  return reason === null ? ok(folder.value) : err(fault("FOLDER_UNUSABLE", { thread, reason }));
}

/** `--cwd`: from this step on, that of a run which is taken over included. */
export function moveThread({ storage, thread }: Road, folder: string): Result<void, Fault> {
  const there = readFolder(storage, thread);
  return there.ok && there.value === folder ? ok(undefined) : keepFolder(storage, thread, folder);
}
