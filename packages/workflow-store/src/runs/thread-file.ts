import { join } from "node:path";
import { makeDir, refuseLink, removeIfThere, replaceFile } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt.js";
import { readRecord } from "../files.js";
import { parseRecord } from "../json.js";
import type { Storage } from "../storage.js";
import { threadRunsPath } from "./paths.js";

// What is said of a thread stands beside its runs, in files with a dot, which no token of a run has: runs/<thread>/<name>.
// Each appears by rename, complete or not at all. A link in the place of one is replaced, never followed.

export function threadFilePath(storage: Storage, thread: ThreadId, name: string): string {
  return join(threadRunsPath(storage, thread), name);
}

/** What a file of JSON says. */
export type RecordShape<T> = {
  readonly name: string;
  /** `null`: it is not one. */
  readonly asRecord: (record: Readonly<Record<string, unknown>>) => T | null;
  /** The end of a sentence about such a file. */
  readonly otherwise: string;
};

/** `null`: there is no such file. One of another shape is `STORE_DAMAGED`. */
export function readThreadRecord<T>(
  storage: Storage,
  thread: ThreadId,
  { name, asRecord, otherwise }: RecordShape<T>,
): Result<T | null, Fault> {
  const file = threadFilePath(storage, thread, name);
  const text = readRecord(file);
  if (!text.ok || text.value === null) return text.ok ? ok(null) : text;
  const record = asRecord(parseRecord(text.value) ?? {});
  return record === null ? err(fault("STORE_DAMAGED", { file, reason: otherwise })) : ok(record);
}

/** Needs a lock under which no other process writes it, or a thread that no other process knows yet. */
export function writeThreadRecord(
  storage: Storage,
  thread: ThreadId,
  name: string,
  record: object,
): Result<void, Fault> {
  return writeThreadFile(storage, thread, name, `${JSON.stringify(record)}\n`);
}

/** The same of any text; `mode`: as for open(2). */
export function writeThreadFile(
  storage: Storage,
  thread: ThreadId,
  name: string,
  text: string,
  mode: number | null = null,
): Result<void, Fault> {
  return attempt(() => {
    const folder = threadRunsPath(storage, thread);
    refuseLink(folder);
    makeDir(folder);
    replaceFile(join(folder, name), text, mode);
  });
}

/** One that is not there is fine. */
export function removeThreadFile(storage: Storage, thread: ThreadId, name: string): Result<void, Fault> {
  return attempt(() => {
    removeIfThere(threadFilePath(storage, thread, name));
  });
}
