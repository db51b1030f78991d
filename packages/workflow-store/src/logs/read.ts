import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { ioFault } from "@uncaged/json-cas-fs";
import type { Fault, Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { folderNames } from "../files/index.js";
import type { Storage } from "../storage/index.js";
import { asLogEntry } from "./entry.js";
import { linesOf, type RawLine } from "./lines.js";
import type { LogDay, LogEntry, LogQuery } from "./types.js";

// A line lies in the file of its own timestamp's day, so a file before the day of `since` is not even opened. Within
// a file the order is that of writing. Readers hold one chunk and one line, whatever the size of the log.

const DAY_FILE = /^(\d{4}-\d{2}-\d{2})\.jsonl$/;

/** The files that can hold something since then, oldest first. One that may not be read is a fault, before anything is printed. */
export function logDays(storage: Storage, since: LogQuery["since"]): Result<readonly LogDay[], Fault> {
  const first = since === null ? "" : dayOf(since);
  return attempt(() =>
    folderNames(storage.paths.logs).flatMap((name) => {
      const day = DAY_FILE.exec(name)?.[1];
      if (day === undefined || day < first) return [];
      const file = join(storage.paths.logs, name);
      assertReadable(file);
      return [{ day, file }];
    }),
  );
}

/** The day's file for a moment, whether it exists or not. */
export function logDayOf(storage: Storage, timestamp: number): LogDay {
  const day = dayOf(timestamp);
  return { day, file: join(storage.paths.logs, `${day}.jsonl`) };
}

/** From which byte a day is read, and whether a last line counts whose newline has not been written. */
export type LogCut = { readonly offset: number; readonly unfinished: boolean };

const WHOLE_DAY: LogCut = { offset: 0, unfinished: true };

/**
 * The entries of one day that fit the query, as they were written; `null` for every torn or foreign line that might
 * have been one. Returns the byte after the last whole line: where to look on later. Throws `CasError` `IO_FAILED`.
 */
export function* readLogDay(
  { file }: LogDay,
  query: LogQuery,
  { offset, unfinished } = WHOLE_DAY,
): Generator<LogEntry | null, number> {
  let end = offset;
  for (const line of linesOf(file, offset)) {
    if (line.whole) end = line.end;
    else if (!unfinished) break;
    const entry = fittingEntry(line, query);
    if (entry !== "other") yield entry;
  }
  return end;
}

/** Where the first line begins that lies wholly within the last so many bytes of a day. Throws `CasError` `IO_FAILED`. */
export function logOffset({ file }: LogDay, bytes: number): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (bytes >= size) return 0;
  const [cutLine] = linesOf(file, size - bytes);
  return cutLine?.end ?? 0;
}

/** Most lines are of other threads: those are told apart before anything is parsed. */
function fittingEntry({ bytes }: RawLine, { since, thread }: LogQuery): LogEntry | "other" | null {
  if (bytes === null) return null;
  if (bytes.length === 0 || (thread !== null && !bytes.includes(thread))) return "other";
  const entry = asLogEntry(bytes.toString("utf8"));
  if (entry === null) return null;
  const fits = (since === null || entry.timestamp >= since) && (thread === null || entry.thread === thread);
  return fits ? entry : "other";
}

function assertReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw ioFault("read", file, error);
  }
}

function dayOf(timestamp: number): string {
  return new Date(timestamp).toISOString().slice(0, 10);
}
