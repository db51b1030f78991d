import { join } from "node:path";
import { explainHolder, type LockRecord, readLock, type Verdict } from "@uncaged/json-cas-fs";
import type { Fault, Result, ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { folderNames } from "../files/index.js";
import { THREAD_ID } from "../ids/index.js";
import type { Storage } from "../storage/index.js";

/** A file of `locks/`. `litter` is what killed processes left: half-made records, and locks of those who were breaking one. */
export type LockFile = {
  readonly file: string;
  readonly holder: LockRecord & Verdict;
} & (
  | { readonly kind: "thread"; readonly thread: ThreadId }
  | { readonly kind: "index" }
  | { readonly kind: "litter" }
);

/** Every lock and who has it, by name. A file that goes meanwhile is left out. */
export function listLocks(storage: Storage): Result<readonly LockFile[], Fault> {
  return attempt(() => folderNames(storage.paths.locks).flatMap((name) => lockFile(storage, name) ?? []));
}

const THREAD_LOCK = new RegExp(`^thread-(${THREAD_ID})\\.lock$`);

function lockFile(storage: Storage, name: string): LockFile | null {
  const file = join(storage.paths.locks, name);
  const record = readLock(file);
  if (record === null) return null;
  const holder = { ...record, ...explainHolder(record) };
  const thread = THREAD_LOCK.exec(name)?.[1] as ThreadId | undefined;
  if (thread !== undefined) return { kind: "thread", thread, file, holder };
  return { kind: name === "index.lock" ? "index" : "litter", file, holder };
}
