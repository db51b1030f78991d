import { isThreadId } from "../ids/index.js";
import { isEpochMs, parseRecord } from "../json/index.js";
import type { LogEntry } from "./types.js";

/** Ours are three levels deep; what somebody else wrote must not overflow whoever prints it. */
const MAX_DEPTH = 32;

/** The gate from a line of text to an entry of the log; `null` for a torn or foreign one. */
export function asLogEntry(text: string): LogEntry | null {
  const line = parseRecord(text);
  if (line === null || !isShallow(line, MAX_DEPTH)) return null;
  const { tag, content, timestamp, thread = null } = line;
  if (typeof tag !== "string" || typeof content !== "string" || !isEpochMs(timestamp)) return null;
  if (thread !== null && !isThreadId(thread)) return null;
  return { tag, content, timestamp, thread, line };
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((each) => isShallow(each, depth - 1));
}
