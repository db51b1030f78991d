import { err, type Fault, fault, type Result } from "@uncaged/workflow-protocol";
import { type LogDay, type LogQuery, logDayOf, readLogDay, type Storage } from "@uncaged/workflow-store";
import type { Host } from "../../io/index.js";
import { text } from "../output.js";
import type { CommandContext, CommandOutput } from "../types.js";
import type { Newest } from "./newest.js";
import type { Printer } from "./printer.js";

/** Between two looks, in ms: a person does not notice it, and a look costs one open. */
const POLL_MS = 200;

type Following = { readonly storage: Storage; readonly query: LogQuery; readonly printer: Printer };

/** Shows what has happened and then what happens, until a signal comes or, at the next line, the reader has gone. */
export async function follow(
  { host }: CommandContext,
  following: Following,
  past: Newest,
): Promise<Result<CommandOutput, Fault>> {
  let signal: NodeJS.Signals | null = null;
  const stop = host.onSignal((received) => {
    signal ??= received;
  });
  try {
    const isOver = (): boolean => signal !== null || following.printer.isClosed();
    await walk(host, following, past, isOver);
    return signal === null ? text("") : err(fault("INTERRUPTED", { signal, recorded: null }));
  } finally {
    stop();
  }
}

async function walk(host: Host, following: Following, past: Newest, isOver: () => boolean): Promise<void> {
  let day = logDayOf(following.storage, host.now());
  let at: Position = past;
  for (const earlier of past.days.filter((each) => each.day < day.day)) {
    at = { ...(await show(following, earlier, at, isOver)), offset: 0 };
  }
  while (!isOver()) {
    const today = logDayOf(following.storage, host.now());
    at = await show(following, day, at, isOver);
    if (today.day === day.day) await host.sleep(POLL_MS);
    // A new day: what stood in the old one has just been shown, its last line included.
    else [day, at] = [today, { offset: 0, skip: 0 }];
  }
}

/** How far a day has been shown, and how many entries are passed over from there. */
type Position = { readonly offset: number; readonly skip: number };

/** Shows the whole lines of a day from a position on. */
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
