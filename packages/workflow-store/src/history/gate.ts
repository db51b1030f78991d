import { isHash } from "@uncaged/json-cas";
import { err, type HistoryLine, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import { isThreadId, THREAD_ID } from "../ids/index.js";
import { isEpochMs, isReason, parseRecord } from "../json/index.js";

/** One line of history.jsonl; the error says what is wrong with it. Lines of the first uwf have no reason: all its threads ended by themselves. */
export function asHistoryLine(text: string): Result<HistoryLine, string> {
  const record = parseRecord(text);
  if (record === null) return err("it is no JSON object");
  const { thread, workflow, head, completedAt, reason = "end" } = record;
  if (!isThreadId(thread)) return err("thread is no thread id");
  if (!isHash(workflow)) return err("workflow is no hash");
  if (!isHash(head)) return err("head is no hash");
  if (!isEpochMs(completedAt)) return err("completedAt is no time in ms");
  if (!isReason(reason)) return err('reason is none of "end", "failed", "killed"');
  return ok({ thread, workflow, head, completedAt, reason });
}

// Most lines are as we write them: a regular expression sees that ten times faster than a JSON parser. The thread's id
// stands at a fixed place of such a line.
const HASH = "[0-9A-F][0-9A-HJKMNP-TV-Z]{12}";
const OURS = `\\{"thread":"${THREAD_ID}","workflow":"${HASH}","head":"${HASH}","completedAt":[1-9][0-9]{0,14},"reason":"(?:end|failed|killed)"\\}\n`;

/** Where the id begins in a line of ours. */
export const THREAD_AT: number = '{"thread":"'.length;

const THREAD_LENGTH = 26;

/** Matches a line as we write it, at `lastIndex`. */
export function ourLine(): RegExp {
  return new RegExp(OURS, "y");
}

/** The id in a line that `ourLine` has matched at `start`. */
export function ourThread(text: string, start: number): ThreadId {
  return text.slice(start + THREAD_AT, start + THREAD_AT + THREAD_LENGTH) as ThreadId;
}

/** A line that `ourLine` has matched. */
export function asOurLine(text: string): HistoryLine {
  return JSON.parse(text) as HistoryLine;
}
