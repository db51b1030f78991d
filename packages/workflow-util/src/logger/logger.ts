import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue } from "@uncaged/json-cas";
import type { Log, LoggerOptions } from "./types.js";
import { utcDay } from "./utc-day.js";

const LF = 10;

/** "a+" that follows no link: a log goes nowhere but into its folder. */
const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** A log of JSON lines, one file per UTC day. It never throws: a log that cannot be written must not fail a command. */
export function createLogger({ dir, now, thread }: LoggerOptions): Log {
  return (tag, content, fields = {}) => {
    try {
      const timestamp = now();
      const head = { tag, content, timestamp, ...(thread === null ? {} : { thread }) };
      append(dir, `${utcDay(timestamp)}.jsonl`, lineOf(head, fields));
    } catch {
      // Nowhere to tell it: stderr belongs to the command's own messages.
    }
  };
}

function lineOf(
  head: Readonly<Record<string, JsonValue>>,
  fields: Readonly<Record<string, JsonValue>>,
): string {
  return JSON.stringify({ ...head, ...fields, ...head });
}

// One write with O_APPEND: lines of several processes do not mix. A line that a crash or a full disk has cut off
// is closed first, so that it spoils only itself. A write that took only a part is gone on with: a whole line that
// might mix with another is worth more than half of one.
function append(dir: string, name: string, line: string): void {
  const fd = openOrCreate(dir, name);
  try {
    const bytes = Buffer.from(`${endsInside(fd) ? "\n" : ""}${line}\n`);
    for (let offset = 0; offset < bytes.length; ) offset += writeSync(fd, bytes, offset);
  } finally {
    closeSync(fd);
  }
}

function openOrCreate(dir: string, name: string): number {
  const file = join(dir, name);
  try {
    return openSync(file, APPEND, 0o600);
  } catch {
    mkdirSync(dir, { recursive: true, mode: 0o775 });
    return openSync(file, APPEND, 0o600);
  }
}

function endsInside(fd: number): boolean {
  const { size } = fstatSync(fd);
  const last = Buffer.alloc(1);
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== LF;
}
