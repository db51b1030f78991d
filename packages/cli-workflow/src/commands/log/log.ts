import { type LogDay, type LogQuery, logDays, readLogDay } from "@uncaged/workflow-store";
import { linesRenderer, listRenderer } from "../../render/index.js";
import { text } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";
import { follow } from "./follow.js";
import { newestOf } from "./newest.js";
import { createPrinter, type Printer } from "./printer.js";
import { queryOf } from "./query.js";

type LogRequest = {
  readonly thread: string | null;
  readonly since: string | null;
  readonly follow: boolean;
  readonly limit: number | null;
};

/** What `--follow` shows of the past where nothing says how much, as `journalctl -f` does. */
const FOLLOW_LIMIT = 10;

/** What happened, oldest first. Printed as it is read: a log may be larger than memory. */
export async function log(context: CommandContext, request: LogRequest): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const asked = await queryOf(context, storage.value, request);
  if (!asked.ok) return asked;
  const query = asked.value;
  const days = logDays(storage.value, query.since);
  if (!days.ok) return days;
  const format = context.format ?? "json";
  if (!request.follow) {
    await printAll(createPrinter(context, listRenderer(format)), days.value, query, request.limit);
    return text("");
  }
  const limit = request.since === null ? (request.limit ?? FOLLOW_LIMIT) : request.limit;
  const printer = createPrinter(context, linesRenderer(format));
  return follow(context, { storage: storage.value, query, printer }, newestOf(days.value, query, limit));
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
