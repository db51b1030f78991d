import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { appendLine, ioFault } from "@uncaged/json-cas-fs";
import type { Fault, HistoryLine, Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { readTail } from "../files/index.js";
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
  return attempt(() => {
    const end = readTail(paths.history, LONGEST_LINE);
    const last = end.slice(end.lastIndexOf("\n") + 1);
    if (last !== "" && isWholeLine(Buffer.from(last).toString("latin1"))) endLine(paths.history);
  });
}

/** More than any record. */
const LONGEST_LINE = 64 * 1024;

function endLine(path: string): void {
  const fd = openSync(path, "a");
  try {
    writeSync(fd, "\n");
    fsyncSync(fd);
  } catch (error) {
    throw ioFault("append to", path, error);
  } finally {
    closeSync(fd);
  }
}
