import { type LogDay, type LogQuery, logOffset, readLogDay } from "@uncaged/workflow-store";

/** Where the newest entries begin: in the first of these days, from this byte on, after so many that fit the query. */
export type Newest = { readonly days: readonly LogDay[]; readonly offset: number; readonly skip: number };

/** How much of a day is looked at first; then twice as much, and so on. */
const FIRST_BYTES = 256 * 1024;

/** The newest `limit` entries; `null` is all. Counted from the end, so that what is older stays unread. */
export function newestOf(days: readonly LogDay[], query: LogQuery, limit: number | null): Newest {
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

/** The end of a day with as many entries as are wanted, or the whole of it. */
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
