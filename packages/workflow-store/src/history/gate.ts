import { isHash } from "@uncaged/json-cas";
import { err, type HistoryLine, ok, type Result } from "@uncaged/workflow-protocol";
import { isThreadId } from "../ids/index.js";
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
  if (!isReason(reason)) return err('reason is neither "end" nor "killed"');
  return ok({ thread, workflow, head, completedAt, reason });
}
