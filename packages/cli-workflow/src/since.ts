import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const AGO = /^(\d{1,9})([smhd]?)$/;

/** Date, then perhaps a time, then perhaps a zone; UTC without one. */
const AT = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

/** `90s 15m 2h 3d` before now (a bare number counts seconds, as for `cas gc --grace`), or an ISO date or time, as epoch ms. */
export function parseSince(text: string, now: number): Result<number, Fault> {
  const ago = parsePeriod(text);
  if (ago !== null) return ok(Math.max(0, now - ago));
  const at = AT.exec(text);
  const time = at === null ? null : timeOf(at);
  return time === null ? notATime(text) : ok(Math.max(0, time));
}

/** `90s 15m 2h 3d`, or a bare number of seconds, in ms; `null`: it is none of these. */
function parsePeriod(text: string): number | null {
  const [, count, unit] = AGO.exec(text) ?? [];
  return count === undefined ? null : Number(count) * UNIT_MS[(unit || "s") as keyof typeof UNIT_MS];
}

function timeOf([, year, month, day, clock = "00:00", zone = "Z"]: RegExpExecArray): number | null {
  const date = `${year}-${month}-${day}`;
  // Date.parse reads February 30 as March 2.
  const midnight = new Date(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== date) return null;
  const time = Date.parse(`${date}T${clock}${zone.toUpperCase()}`);
  return Number.isNaN(time) ? null : time;
}

function notATime(text: string): Result<never, Fault> {
  const reason = `--since ${JSON.stringify(text)} is not a time`;
  const usage =
    "write how long ago (90s, 15m, 2h, 3d), or a date or time in UTC (2026-01-31, 2026-01-31T08:00)";
  return err(fault("USAGE", { reason, usage }));
}
