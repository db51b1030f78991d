import type { ThreadId } from "@uncaged/workflow-protocol";
import type { Storage } from "../storage/index.js";

export function indexLockPath(storage: Storage): string {
  return `${storage.paths.locks}/index.lock`;
}

export function threadLockPath(storage: Pick<Storage, "paths">, thread: ThreadId): string {
  return `${storage.paths.locks}/thread-${thread}.lock`;
}
