import { flag, option } from "@uncaged/command-line";
import { type Fault, messageOf, ok, type Result, type ThreadId } from "@uncaged/workflow-protocol";
import {
  findThread,
  type LogDay,
  type LogEntry,
  type LogQuery,
  logDayOf,
  logDays,
  readLogDay,
  type Storage,
} from "@uncaged/workflow-store";
import { parseThreadId } from "@uncaged/workflow-util";
import { followLog, logDocument, POLL_MS, untilSignal } from "../follow.js";
import { piecesOn } from "../io.js";
import { COUNT, type CommandContext, defineRootCommand, THREAD, WHEN, WHEN_WORDS } from "../line/index.js";
import { type ItemRenderer, linesRenderer, listRenderer } from "../render.js";
import { counted, logLines, logTable } from "../screen/index.js";
import { parseSince } from "../since.js";
import { readShortIds } from "./known-names.js";
import { text } from "./output.js";

export const command = defineRootCommand({
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
  exits: ["INTERRUPTED"],
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
  // Printed as it is read: a log may be larger than memory.
  run: async (context, { thread, since, follow, limit }, storage) => {
    const { screen, host } = context;
    const asked = await buildQuery(context, storage, { thread, since });
    if (!asked.ok) return asked;
    const query = asked.value;
    const days = logDays(storage, query.since);
    if (!days.ok) return days;
    const idOf = screen === null || query.thread !== null ? null : await readShortIds(storage);
    const format = context.format ?? "json";
    const printer = createPrinter(
      context,
      screen === null
        ? asDocuments(follow ? linesRenderer(format) : listRenderer(format))
        : // One thread reads like a log, from its start to its end; where threads mix, a table keeps them apart.
          follow || idOf === null
          ? logLines(screen, idOf)
          : logTable(screen, idOf),
    );
    const shown = follow && since === null ? (limit ?? FOLLOW_LIMIT) : limit;
    const newest = newestOf(days.value, query, shown);
    if (follow)
      return untilSignal(host, async (isStopped) => {
        await printOn(
          { storage, query, printer },
          newest,
          () => isStopped() || printer.isClosed(),
          host.sleep,
        );
        return text("");
      });
    let { skip } = newest;
    for (const day of newest.days) {
      skip = await printer.print(
        readLogDay(day, query, { offset: 0, unfinished: true }),
        skip,
        printer.isClosed,
      );
      if (printer.isClosed()) return text("");
    }
    printer.end();
    const isNothing = screen !== null && printer.isEmpty();
    return text(isNothing ? "nothing has happened yet, as far as was asked\n" : "");
  },
});

/** How many past entries `--follow` shows by default, as `journalctl -f` does. */
const FOLLOW_LIMIT = 10;

/** The days with the newest entries, and how many entries that fit the query come before these in the first of the days. */
type Newest = { readonly days: readonly LogDay[]; readonly skip: number };

/** The newest `limit` entries; `null` is all. Older days stay unread. */
function newestOf(days: readonly LogDay[], query: LogQuery, limit: number | null): Newest {
  if (limit === null) return { days, skip: 0 };
  let left = limit;
  for (const [at, day] of [...days.entries()].reverse()) {
    let count = 0;
    for (const entry of readLogDay(day, query, { offset: 0, unfinished: true }))
      if (entry !== null) count += 1;
    if (count >= left) return { days: days.slice(at), skip: count - left };
    left -= count;
  }
  return { days, skip: 0 };
}

type Printer = ReturnType<typeof createPrinter>;

/** Puts entries on stdout as they are read, and says how many lines were none. */
function createPrinter({ host, warn }: CommandContext, renderer: ItemRenderer) {
  const pieces = piecesOn(host.stdout);
  let [leftOut, printed] = [0, 0];
  /** `null` is a torn or foreign line. Passes over as many entries as `skip` says, and gives how many of them are left. */
  const print = async (entries: Iterable<LogEntry | null>, skip: number, isOver: () => boolean) => {
    let left = skip;
    for (const entry of entries) {
      if (isOver()) break;
      if (entry === null) leftOut += 1;
      else if (left > 0) left -= 1;
      else {
        printed += 1;
        pieces.add(await renderer.item(entry));
      }
    }
    return left;
  };
  /** Prints the entries, and how many lines were left out. */
  const flush = (): void => {
    pieces.flush();
    if (leftOut > 0) warn(`${counted(leftOut, "line")} of the log left out: torn, or not written by uwf`);
    leftOut = 0;
  };
  const end = (): void => {
    pieces.add(renderer.end());
    flush();
  };
  return { print, isEmpty: () => printed === 0, isClosed: host.stdout.isClosed, flush, end };
}

/** Entries for programs. */
function asDocuments({ item, end }: ItemRenderer): ItemRenderer {
  return { item: (entry) => item(logDocument(entry as LogEntry)), end };
}

type Following = { readonly storage: Storage; readonly query: LogQuery; readonly printer: Printer };

/** Prints past entries, then new ones, until a signal arrives or, at the next line, the reader has gone. */
async function printOn(
  { storage, query, printer }: Following,
  { days, skip }: Newest,
  isOver: () => boolean,
  sleep: (ms: number) => Promise<void>,
): Promise<void> {
  const today = logDayOf(storage, storage.now());
  let left = skip;
  for (const day of days.filter((each) => each.day < today.day)) {
    left = await printer.print(readLogDay(day, query, { offset: 0, unfinished: false }), left, isOver);
    printer.flush();
  }
  const news = followLog(storage, query, { day: today, offset: 0 });
  while (!isOver()) {
    left = await printer.print(news(), left, isOver);
    printer.flush();
    if (!isOver()) await sleep(POLL_MS);
  }
}

async function buildQuery(
  context: CommandContext,
  storage: Storage,
  asked: { readonly thread: string | null; readonly since: string | null },
): Promise<Result<LogQuery, Fault>> {
  const since = asked.since === null ? ok(null) : parseSince(asked.since, context.host.now());
  if (!since.ok) return since;
  const thread = asked.thread === null ? ok(null) : await resolveThread(context, storage, asked.thread);
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
