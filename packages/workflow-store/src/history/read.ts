import {
  err,
  type Fault,
  fault,
  type HistoryLine,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { readBytes, utf8Of } from "../files/index.js";
import { THREAD_ID } from "../ids/index.js";
import type { Storage } from "../storage/index.js";
import { asHistoryLine } from "./gate.js";
import type { History } from "./types.js";

// A missing file is an empty history. An unterminated last line is skipped as a torn write, unless it is a whole record
// that only lacks its newline, as some editors leave it; any other bad line is STORE_DAMAGED. Of two lines of one thread the first counts: ending is final.

/** Every ended thread by id. */
export function readHistory(storage: Storage): Result<History, Fault> {
  return scan(storage, null);
}

/** One thread's line; `null` while it has not ended. Every line is checked all the same. */
export function readHistoryOf(storage: Storage, thread: ThreadId): Result<HistoryLine | null, Fault> {
  const history = scan(storage, thread);
  return history.ok ? ok(history.value.get(thread) ?? null) : history;
}

// Most lines are as we write them: a regular expression sees that ten times faster than a JSON parser, and every step
// of every thread has to look. The thread's id stands at a fixed place of such a line.
const HASH = "[0-9A-F][0-9A-HJKMNP-TV-Z]{12}";
const OURS = `\\{"thread":"${THREAD_ID}","workflow":"${HASH}","head":"${HASH}","completedAt":[1-9][0-9]{0,14},"reason":"(?:end|killed)"\\}\n`;
const THREAD_AT = '{"thread":"'.length;

function scan(storage: Storage, wanted: ThreadId | null): Result<History, Fault> {
  const file = storage.paths.history;
  const bytes = readBytes(file);
  if (!bytes.ok) return bytes;
  const text = terminated(bytes.value?.toString("latin1") ?? "");
  const ours = new RegExp(OURS, "y");
  const found = new Map<ThreadId, HistoryLine>();
  let number = 0;
  for (
    let [start, end] = [0, text.indexOf("\n")];
    end !== -1;
    [start, end] = [end + 1, text.indexOf("\n", end + 1)]
  ) {
    number += 1;
    ours.lastIndex = start;
    if (wanted !== null && ours.test(text) && !text.startsWith(wanted, start + THREAD_AT)) continue;
    const line = asHistoryLine(utf8Of(text.slice(start, end)) ?? "");
    if (!line.ok) return err(fault("STORE_DAMAGED", { file, reason: `line ${number}: ${line.error}` }));
    const { thread } = line.value;
    if (!found.has(thread) && (wanted ?? thread) === thread) found.set(thread, line.value);
  }
  return ok(found);
}

function terminated(text: string): string {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  return last !== "" && isWholeLine(last) ? `${text}\n` : text;
}

/** Whether the text after the last newline is a record all the same. */
export function isWholeLine(latin1: string): boolean {
  return asHistoryLine(utf8Of(latin1) ?? "").ok;
}
