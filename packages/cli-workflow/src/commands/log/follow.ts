import { err, type Fault, fault, type Result } from "@uncaged/workflow-protocol";
import {
  type LogCut,
  type LogDay,
  type LogQuery,
  logDayOf,
  readLogDay,
  type Storage,
} from "@uncaged/workflow-store";
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
  let { skip } = past;
  for (const earlier of past.days.filter((each) => each.day < day.day)) {
    skip = (await show(following, earlier, { offset: 0, unfinished: true }, skip, isOver)).skip;
  }
  // Where today is not among the days of the past, all that is asked for lies before it.
  let at = await show(following, day, { offset: 0, unfinished: false }, skip, isOver);
  while (!isOver()) {
    following.printer.warn();
    const today = logDayOf(following.storage, host.now());
    if (today.day === day.day) await host.sleep(POLL_MS);
    // A new day: the rest of the old one has been written by now.
    at = await show(following, day, { offset: at.offset, unfinished: false }, 0, isOver);
    if (today.day === day.day) continue;
    day = today;
    at = { offset: 0, skip: 0 };
  }
}

type Shown = { readonly offset: number; readonly skip: number };

/** Prints a day from a byte on, without the first `skip` entries; gives where it ends, and how many are still to skip. */
async function show(
  { query, printer }: Following,
  day: LogDay,
  cut: LogCut,
  skip: number,
  isOver: () => boolean,
): Promise<Shown> {
  const entries = readLogDay(day, query, cut);
  let left = skip;
  for (let next = entries.next(); ; next = entries.next()) {
    if (next.done) return { offset: next.value, skip: left };
    if (next.value !== null && left > 0) left -= 1;
    else await printer.print(next.value);
    if (isOver()) return { offset: cut.offset, skip: left };
  }
}
