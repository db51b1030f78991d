import {
  err,
  type Fault,
  fault,
  type HistoryLine,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { readText } from "../files/index.js";
import type { Storage } from "../storage/index.js";
import { asHistoryLine } from "./gate.js";
import type { History } from "./types.js";

/** A missing file is an empty history. An unterminated last line is a torn write and skipped; any other bad line is `STORE_DAMAGED`. */
export function readHistory(storage: Storage): Result<History, Fault> {
  const file = storage.paths.history;
  const text = readText(file);
  if (!text.ok) return text;
  const history = new Map<ThreadId, HistoryLine>();
  let number = 0;
  for (const line of terminatedLines(text.value ?? "")) {
    number += 1;
    const parsed = asHistoryLine(line);
    if (!parsed.ok) return err(fault("STORE_DAMAGED", { file, reason: `line ${number}: ${parsed.error}` }));
    if (!history.has(parsed.value.thread)) history.set(parsed.value.thread, parsed.value);
  }
  return ok(history);
}

function terminatedLines(text: string): readonly string[] {
  return text.split("\n").slice(0, -1);
}
