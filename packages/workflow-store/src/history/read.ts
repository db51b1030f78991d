import {
  err,
  type Fault,
  fault,
  type HistoryLine,
  ok,
  type Result,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { hasThreadIdPart } from "@uncaged/workflow-util";
import { readBytes, utf8Of } from "../files/index.js";
import type { Storage } from "../storage/index.js";
import { asHistoryLine, asOurLine, ourLine, ourThread } from "./gate.js";
import { isSilentAbout } from "./silent.js";
import type { History, HistoryIndex } from "./types.js";

// A missing file is an empty history. An unterminated last line is skipped as a torn write, unless it is a whole record
// that only lacks its newline, as some editors leave it; any other bad line is STORE_DAMAGED. Of two lines of one thread
// the first counts: ending is final.

/** Bytes of a history that is held as a whole: some 500,000 ended threads. A step does not hold it. */
const HISTORY_LIMIT = 64 * 1024 * 1024;

/** Every ended thread by id. */
export function readHistory(storage: Storage): Result<History, Fault> {
  const index = indexHistory(storage, "");
  if (!index.ok) return index;
  const history = new Map<ThreadId, HistoryLine>();
  for (const thread of index.value.ids()) {
    const line = index.value.line(thread);
    if (line !== null) history.set(thread, line);
  }
  return ok(history);
}

/**
 * One thread's line; `null` while it has not ended. Every step asks, so a large file that says nothing of the thread is
 * not checked line by line: who finds the thread nowhere else has to ask `indexHistory`.
 */
export function readHistoryOf(storage: Storage, thread: ThreadId): Result<HistoryLine | null, Fault> {
  if (isSilentAbout(storage.paths.history, thread)) return ok(null);
  const index = indexHistory(storage, thread);
  return index.ok ? ok(index.value.line(thread)) : index;
}

/** The ended threads whose id begins or ends so; `""`: all of them. Every line is checked, those of other threads too. */
export function indexHistory(storage: Storage, part: string): Result<HistoryIndex, Fault> {
  const file = storage.paths.history;
  const bytes = readBytes(file, HISTORY_LIMIT);
  if (!bytes.ok) return bytes;
  if (bytes.value === null) return ok(indexOf("", new Map()));
  const text = terminated(bytes.value.toString("latin1"));
  const places = placesIn(text, part);
  if (!places.ok) return err(fault("STORE_DAMAGED", { file, reason: places.error }));
  return ok(indexOf(text, places.value));
}

/** Where a line begins; the line itself when it is not as we write it. */
type Place = number | HistoryLine;

function placesIn(text: string, part: string): Result<ReadonlyMap<ThreadId, Place>, string> {
  const ours = ourLine();
  const places = new Map<ThreadId, Place>();
  const add = (thread: ThreadId, place: Place): void => {
    if (hasThreadIdPart(thread, part) && !places.has(thread)) places.set(thread, place);
  };
  let [number, start] = [0, 0];
  for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
    number += 1;
    ours.lastIndex = start;
    if (!ours.test(text)) {
      const line = asHistoryLine(utf8Of(text.slice(start, end)) ?? "");
      if (!line.ok) return err(`line ${number}: ${line.error}`);
      add(line.value.thread, line.value);
    } else add(ourThread(text, start), start);
    start = end + 1;
  }
  return ok(places);
}

function indexOf(text: string, places: ReadonlyMap<ThreadId, Place>): HistoryIndex {
  const line = (thread: ThreadId): HistoryLine | null => {
    const place = places.get(thread) ?? null;
    return typeof place === "number" ? asOurLine(text.slice(place, text.indexOf("\n", place))) : place;
  };
  return { ids: () => places.keys(), has: (thread) => places.has(thread), line };
}

function terminated(text: string): string {
  const last = text.slice(text.lastIndexOf("\n") + 1);
  return last !== "" && isWholeLine(last) ? `${text}\n` : text;
}

/** Whether the text after the last newline is a record all the same. */
export function isWholeLine(latin1: string): boolean {
  return asHistoryLine(utf8Of(latin1) ?? "").ok;
}
