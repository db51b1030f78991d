import { closeSync, constants, fstatSync, mkdirSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue } from "@uncaged/json-cas";
import {
  type EventFields,
  type EventKind,
  type LoggedEvent,
  readEvent,
  type ThreadId,
  toEventLine,
} from "@uncaged/workflow-protocol";

/**
 * Writes one line to the log. `tag` is 8 Crockford characters, fixed at each call site and unique in the tree
 * (`bun run check` sees to it); `fields` are added after the standard ones, which they cannot replace.
 */
type Log = (tag: string, content: string, fields?: Readonly<Record<string, JsonValue>>) => void;

type LoggerOptions = {
  /** The folder of the day files; created when the first line is written. */
  readonly dir: string;
  /** Epoch ms. */
  readonly now: () => number;
  /** The thread that every line is about. */
  readonly thread: ThreadId | null;
};

const DAY_MS = 86_400_000;

/** Days from 0000-03-01 to 1970-01-01: years that begin in March have their leap day at the end. */
const EPOCH = 719_468;
const DAYS_IN_ERA = 146_097;
const YEARS_IN_ERA = 400;

/**
 * The day of a time (epoch ms, years 0 to 9999) as `2026-11-21`: what `toISOString` begins with. That looks up the
 * time zone on Node.js, which costs a step up to 2 ms and decides nothing.
 */
export function utcDay(epochMs: number): string {
  const days = Math.floor(epochMs / DAY_MS) + EPOCH;
  const era = Math.floor(days / DAYS_IN_ERA);
  const day = days - era * DAYS_IN_ERA;
  // The last days of 4, 100 and 400 years do not begin another one.
  const leaps = Math.floor(day / 1460) - Math.floor(day / 36_524) + Math.floor(day / 146_096);
  const year = Math.floor((day - leaps) / 365);
  const dayOfYear = day - (365 * year + Math.floor(year / 4) - Math.floor(year / 100));
  // March is 0; five months have 153 days.
  const month = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * month + 2) / 5) + 1;
  const isNextYear = month >= 10;
  const parts = [
    [year + era * YEARS_IN_ERA + (isNextYear ? 1 : 0), 4],
    [isNextYear ? month - 9 : month + 3, 2],
    [dayOfMonth, 2],
  ] as const;
  return parts.map(([number, width]) => String(number).padStart(width, "0")).join("-");
}

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
      // There is nowhere to report it: stderr belongs to the command's own messages.
    }
  };
}

/** Writes a line about an event of the table `EVENTS`. `tag` and `content` as for `Log`. */
export type EventLog = <K extends EventKind>(
  tag: string,
  content: string,
  kind: K,
  fields: EventFields<K>,
) => void;

/** A log of events. `watch` gets each in this process as a reader of the log will get it; `null`: it has no watcher. */
export function createEventLog(
  { dir, now, thread }: LoggerOptions,
  watch: ((event: LoggedEvent) => void) | null = null,
): EventLog {
  return (tag, content, kind, fields) => {
    const timestamp = now();
    const line = toEventLine(kind, fields);
    createLogger({ dir, now: () => timestamp, thread })(tag, content, line);
    const event = watch === null ? null : readEvent(line);
    if (event !== null) watch?.({ thread, timestamp, content, event });
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
