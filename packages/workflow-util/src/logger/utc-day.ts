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
