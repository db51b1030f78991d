import type { Fault, Result, ThreadId } from "@uncaged/workflow-protocol";
import type { Storage } from "../storage.js";
import { type RecordShape, readThreadRecord, writeThreadRecord } from "./thread-file.js";

const FOLDER: RecordShape<string> = {
  name: "cwd.json",
  asRecord: ({ cwd }) => (isAbsolute(cwd) ? cwd : null),
  otherwise: "it names no folder",
};

/** The folder in which the thread's agents work, absolute; `null` for a thread that has none yet, or has ended. */
export function readWorkFolder(storage: Storage, thread: ThreadId): Result<string | null, Fault> {
  return readThreadRecord(storage, thread, FOLDER);
}

/** Records the work folder durably. Needs the thread's lock, or a thread that no other process knows yet. */
export function writeWorkFolder(storage: Storage, thread: ThreadId, cwd: string): Result<void, Fault> {
  return writeThreadRecord(storage, thread, FOLDER.name, { cwd });
}

const SOURCE: RecordShape<string> = {
  name: "workflow.json",
  asRecord: ({ file }) => (isAbsolute(file) ? file : null),
  otherwise: "it names no file",
};

/** The file that a thread's workflow was read from, absolute; `null`: none that is known. */
export function readWorkflowSource(storage: Storage, thread: ThreadId): string | null {
  const file = readThreadRecord(storage, thread, SOURCE);
  return file.ok ? file.value : null;
}

/** A hint for people: without it nothing but a line of `thread show` is missing. */
export function writeWorkflowSource(storage: Storage, thread: ThreadId, file: string): Result<void, Fault> {
  return writeThreadRecord(storage, thread, SOURCE.name, { file });
}

function isAbsolute(path: unknown): path is string {
  return typeof path === "string" && path.startsWith("/");
}
