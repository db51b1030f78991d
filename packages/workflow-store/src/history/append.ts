import { appendLine, writeFileAtomic } from "@uncaged/json-cas-fs";
import { type Fault, type HistoryLine, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { readBytes } from "../files/index.js";
import type { Storage } from "../storage/index.js";
import { isWholeLine } from "./read.js";

/** Appends one ended thread durably, cutting off a torn last line first. The caller holds the index lock and knows that the thread has no line yet. */
export function appendHistory(storage: Storage, line: HistoryLine): Result<void, Fault> {
  const { thread, workflow, head, completedAt, reason } = line;
  const text = JSON.stringify({ thread, workflow, head, completedAt, reason });
  const closed = closeWholeLine(storage);
  return closed.ok ? attempt(() => appendLine(storage.paths.history, text)) : closed;
}

/** A last record that only lacks its newline gets it: `appendLine` would cut it off as torn. */
function closeWholeLine({ paths }: Storage): Result<void, Fault> {
  const bytes = readBytes(paths.history);
  if (!bytes.ok) return bytes;
  const last = bytes.value?.subarray(bytes.value.lastIndexOf("\n") + 1).toString("latin1") ?? "";
  if (last === "" || !isWholeLine(last)) return ok(undefined);
  return attempt(() => writeFileAtomic(paths.history, `${bytes.value?.toString("utf8")}\n`, { mode: null }));
}
