import { appendLine } from "@uncaged/json-cas-fs";
import type { Fault, HistoryLine, Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import type { Storage } from "../storage/index.js";

/** Appends one ended thread durably, cutting off a torn last line first. The caller holds the index lock and knows that the thread has no line yet. */
export function appendHistory(storage: Storage, line: HistoryLine): Result<void, Fault> {
  const { thread, workflow, head, completedAt, reason } = line;
  const text = JSON.stringify({ thread, workflow, head, completedAt, reason });
  return attempt(() => appendLine(storage.paths.history, text));
}
