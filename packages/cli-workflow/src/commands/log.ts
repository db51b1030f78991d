import { flag, option } from "@uncaged/command-line";
import { type Fault, messageOf, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import {
  findThread,
  type LogDay,
  type LogEntry,
  type LogQuery,
  logDayOf,
  logDays,
  logOffset,
  readLogDay,
  type Storage,
} from "@uncaged/workflow-store";
import { parseThreadId } from "@uncaged/workflow-util";
import { followLog, logDocument, POLL_MS, untilSignal } from "../follow.js";
import { type Host, piecesOn } from "../io.js";
import {
  COUNT,
  type CommandContext,
  type CommandResult,
  defineCommand,
  THREAD,
  WHEN,
  WHEN_WORDS,
} from "../line/index.js";
import { type ItemRenderer, linesRenderer, listRenderer } from "../render.js";
import { logLines, logTable, type Screen } from "../screen/index.js";
import { parseSince } from "../since.js";
import { readShortIds } from "./known-names.js";
import { text } from "./output.js";

export const command = defineCommand({
  path: "log",
  summary: "print what happened, failed runs included, oldest first",
  options: {
    thread: option(THREAD, "only this thread"),
    since: option(WHEN, WHEN_WORDS),
    follow: flag("keep printing new entries, one JSON line each, until interrupted"),
    limit: option(COUNT, "show at most this many, newest kept"),
  },
  examples: [
    "uwf log --since 2h",
    "uwf log --thread 01KAJ5E8 --limit 20",
    "uwf log --since 2026-01-31T08:00 --format yaml",
    "uwf log --follow",
    "uwf log --remote --thread 01KAJ5E8",
  ],
  exits: ["OLDER_ROOT", "INTERRUPTED"],
  sample: {
    line: "log --thread W8YB",
    prints: `2026-01-31T09:12:03Z  the thread was started
2026-01-31T09:12:03Z  planner runs: …
2026-01-31T09:12:05Z  planner recorded as 968RK709D8JWK
…`,
  },
  onRemote: {
    about: "; without --limit its newest 1000 entries",
    conflicts: ["follow"],
  },
  run: printLog,
});

/** Where the newest entries begin: in the first of these days, at this byte, after this many entries that fit the query. */
type Newest = { readonly days: readonly LogDay[]; readonly offset: number; readonly skip: number };

/** How much of a day is looked at first; then twice as much, and so on. */
const FIRST_BYTES = 256 * 1024;

/** The newest `limit` entries; `null` is all. Read from the end, so older ones stay unread. */
function newestOf(days: readonly LogDay[], query: LogQuery, limit: number | null): Newest {
  if (limit === null) return { days, offset: 0, skip: 0 };
  let wanted = limit;
  for (let index = days.length - 1; index >= 0; index -= 1) {
    const day = days[index];
    if (day === undefined) break;
    const tail = tailOf(day, query, wanted);
    if (tail.count >= wanted) {
      return { days: days.slice(index), offset: tail.offset, skip: tail.count - wanted };
    }
    wanted -= tail.count;
  }
  return { days, offset: 0, skip: 0 };
}

/** The end of a day with as many entries as wanted, or the complete day. */
function tailOf(day: LogDay, query: LogQuery, wanted: number) {
  for (let bytes = FIRST_BYTES; ; bytes *= 2) {
    const offset = logOffset(day, bytes);
    const count = countFrom(day, query, offset);
    if (count >= wanted || offset === 0) return { offset, count };
  }
}

function countFrom(day: LogDay, query: LogQuery, offset: number): number {
  let count = 0;
  for (const entry of readLogDay(day, query, { offset, unfinished: true })) count += entry === null ? 0 : 1;
  return count;
}

/** Puts entries on stdout as they are read, and says how many lines were none. */
type Printer = {
  /** `null` is a torn or foreign line. */
  readonly print: (entry: LogEntry | null) => Promise<void>;
  /** Whether there was no entry. */
  readonly isEmpty: () => boolean;
  /** The reader is gone, as far as is known. */
  readonly isClosed: () => boolean;
  /** Prints the entries, and how many lines were left out. */
  readonly flush: () => void;
  readonly end: () => void;
};

function createPrinter({ host, warn }: CommandContext, renderer: ItemRenderer): Printer {
  const pieces = piecesOn(host.stdout);
  let [leftOut, printed] = [0, 0];
  const print = async (entry: LogEntry | null): Promise<void> => {
    if (entry === null) leftOut += 1;
    else {
      printed += 1;
      pieces.add(await renderer.item(entry));
    }
  };
  const flush = (): void => {
    pieces.flush();
    if (leftOut > 0) warn(`${leftOutLines(leftOut)} of the log left out: torn, or not written by uwf`);
    leftOut = 0;
  };
  const end = (): void => {
    pieces.add(renderer.end());
    flush();
  };
  return { print, isEmpty: () => printed === 0, isClosed: host.stdout.isClosed, flush, end };
}

function leftOutLines(count: number): string {
  return `${count} ${count === 1 ? "line" : "lines"}`;
}

/** Entries for programs. */
function asDocuments({ item, end }: ItemRenderer): ItemRenderer {
  return { item: (entry) => item(logDocument(entry as LogEntry)), end };
}

type Following = { readonly storage: Storage; readonly query: LogQuery; readonly printer: Printer };

/** Prints past entries, then new ones, until a signal arrives or, at the next line, the reader has gone. */
function follow({ host }: CommandContext, following: Following, past: Newest): CommandResult {
  return untilSignal(host, async (isStopped) => {
    await walk(host, following, past, () => isStopped() || following.printer.isClosed());
    return text("");
  });
}

async function walk(host: Host, following: Following, past: Newest, isOver: () => boolean): Promise<void> {
  const { storage, query, printer } = following;
  const day = logDayOf(storage, host.now());
  let at: Position = past;
  for (const earlier of past.days.filter((each) => each.day < day.day)) {
    at = { ...(await show(following, earlier, at, isOver)), offset: 0 };
  }
  let { skip } = at;
  const news = followLog(storage, query, { day, offset: at.offset });
  while (!isOver()) {
    for (const entry of news()) {
      if (isOver()) break;
      if (entry !== null && skip > 0) skip -= 1;
      else await printer.print(entry);
    }
    printer.flush();
    if (!isOver()) await host.sleep(POLL_MS);
  }
}

/** How far a day has been shown, and how many entries are passed over from there. */
type Position = { readonly offset: number; readonly skip: number };

/** Prints the complete lines of a day from a position on. */
async function show(
  { query, printer }: Following,
  day: LogDay,
  { offset, skip }: Position,
  isOver: () => boolean,
): Promise<Position> {
  const entries = readLogDay(day, query, { offset, unfinished: false });
  let left = skip;
  let next = entries.next();
  for (; !next.done && !isOver(); next = entries.next()) {
    if (next.value !== null && left > 0) left -= 1;
    else await printer.print(next.value);
  }
  printer.flush();
  return { offset: next.done ? next.value : offset, skip: left };
}

type Asked = { readonly thread: string | null; readonly since: string | null };

async function buildQuery(
  context: CommandContext,
  storage: Storage,
  asked: Asked,
): Promise<Result<LogQuery, Fault>> {
  const since = asked.since === null ? ok(null) : parseSince(asked.since, context.host.now());
  if (!since.ok) return since;
  if (asked.thread === null) return ok({ since: since.value, thread: null });
  const thread = await resolveThread(context, storage, asked.thread);
  return thread.ok ? ok({ since: since.value, thread: thread.value }) : thread;
}

/** The log is read when something is wrong: a complete id works even if the index of threads is damaged. */
async function resolveThread(
  context: CommandContext,
  storage: Storage,
  text: string,
): Promise<Result<ThreadId, Fault>> {
  const found = await findThread(storage, text, context.host.cwd);
  if (found.ok) return ok(found.value.thread);
  const whole = parseThreadId(text);
  const isUnknown = found.error.code === "THREAD_NOT_FOUND" && found.error.removed === undefined;
  if (!whole.ok || isUnknown) return found;
  context.warn(messageOf(found.error));
  return whole;
}

type LogRequest = {
  readonly thread: string | null;
  readonly since: string | null;
  readonly follow: boolean;
  readonly limit: number | null;
};

/** How many past entries `--follow` shows by default, as `journalctl -f` does. */
const FOLLOW_LIMIT = 10;

/** What happened, oldest first. Printed as it is read: a log may be larger than memory. */
async function printLog(context: CommandContext, request: LogRequest): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const asked = await buildQuery(context, storage.value, request);
  if (!asked.ok) return asked;
  const query = asked.value;
  const days = logDays(storage.value, query.since);
  if (!days.ok) return days;
  const format = context.format ?? "json";
  const { screen } = context;
  const idOf = screen === null || query.thread !== null ? null : await readShortIds(storage.value);
  if (!request.follow) {
    const renderer = screen === null ? asDocuments(listRenderer(format)) : pastEntries(screen, idOf);
    const printer = createPrinter(context, renderer);
    await printAll(printer, days.value, query, request.limit);
    return text(
      screen !== null && printer.isEmpty() ? "nothing has happened yet, as far as was asked\n" : "",
    );
  }
  const limit = request.since === null ? (request.limit ?? FOLLOW_LIMIT) : request.limit;
  const renderer = screen === null ? asDocuments(linesRenderer(format)) : logLines(screen, idOf);
  const printer = createPrinter(context, renderer);
  return follow(context, { storage: storage.value, query, printer }, newestOf(days.value, query, limit));
}

/** One thread reads like a log, from its start to its end; where threads mix, a table keeps them apart. */
function pastEntries(screen: Screen, idOf: ((id: string) => string) | null): ItemRenderer {
  return idOf === null ? logLines(screen, null) : logTable(screen, idOf);
}

async function printAll(
  printer: Printer,
  days: readonly LogDay[],
  query: LogQuery,
  limit: number | null,
): Promise<void> {
  const newest = newestOf(days, query, limit);
  let { offset, skip } = newest;
  for (const day of newest.days) {
    for (const entry of readLogDay(day, query, { offset, unfinished: true })) {
      if (entry !== null && skip > 0) skip -= 1;
      else await printer.print(entry);
      if (printer.isClosed()) return;
    }
    offset = 0;
  }
  printer.end();
}
