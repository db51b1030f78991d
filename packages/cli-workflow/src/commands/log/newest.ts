import { type LogDay, type LogQuery, readLogDay } from "@uncaged/workflow-store";

/** Where the newest entries begin: in the first of these days, after so many that fit the query. */
export type Newest = { readonly days: readonly LogDay[]; readonly skip: number };

/** The newest `limit` entries; `null` is all. Counted from the newest day back, so older days stay closed. */
export function newestOf(days: readonly LogDay[], query: LogQuery, limit: number | null): Newest {
  if (limit === null) return { days, skip: 0 };
  let count = 0;
  for (let index = days.length - 1; index >= 0; index -= 1) {
    const day = days[index];
    count += day === undefined ? 0 : entriesOf(day, query);
    if (count >= limit) return { days: days.slice(index), skip: count - limit };
  }
  return { days, skip: 0 };
}

function entriesOf(day: LogDay, query: LogQuery): number {
  let count = 0;
  for (const entry of readLogDay(day, query)) count += entry === null ? 0 : 1;
  return count;
}
