import { isObject, type JsonValue } from "@uncaged/json-cas";

// How values are shown to people, the same in every screen, message and report.

/** `$12.40`, `$0.0042`: of small amounts as much as tells them apart. */
export function money(usd: number): string {
  if (usd === 0) return "$0";
  if (usd < 0.0001) return "<$0.0001";
  return usd < 0.995 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

/** `950`, `1.2k`, `12k`, `3.4M`: of tokens, mostly. */
export function count(value: number): string {
  if (value < 1000) return String(value);
  return value < 999_500 ? `${short(value / 1000)}k` : `${short(value / 1_000_000)}M`;
}

/** `950 B`, `1.2 KiB`, `12 MiB`. */
export function bytes(value: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let [amount, unit] = [value, 0];
  while (amount >= 1024 && unit < units.length - 1) [amount, unit] = [amount / 1024, unit + 1];
  return `${unit === 0 ? amount : short(amount)} ${units[unit]}`;
}

function short(value: number): string {
  return value < 9.95 ? value.toFixed(1) : value.toFixed(0);
}

/** `1 step`, `3 steps`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${value} ${value === 1 ? one : many}`;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** `3 min ago`, `2 d ago`; of a time to come, `in 2 d`. Both in epoch ms. */
export function ago(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < SECOND) return "now";
  return at > now ? `in ${roughly(distance)}` : `${roughly(distance)} ago`;
}

function roughly(ms: number): string {
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  return ms < YEAR ? `${Math.floor(ms / DAY)} d` : `${Math.floor(ms / YEAR)} y`;
}

/** `350 ms`, `4.2 s`, `42 s`, `3 min 05 s`, `1 h 05 min`, `2 d 03 h`. */
export function duration(ms: number): string {
  if (ms < SECOND) return `${Math.floor(ms)} ms`;
  if (ms < 10 * SECOND) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${twoDigits((ms % MINUTE) / SECOND)} s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${twoDigits((ms % HOUR) / MINUTE)} min`;
  return `${Math.floor(ms / DAY)} d ${twoDigits((ms % DAY) / HOUR)} h`;
}

function twoDigits(value: number): string {
  return String(Math.floor(value)).padStart(2, "0");
}

/** A step's output in a line, `approved: false, comments: Two tests are missing`: what decides, mostly short, comes first. */
export function summaryOf(output: JsonValue): string {
  if (!isObject(output)) return JSON.stringify(output);
  const fields = Object.entries(output).map(([name, value]) => ({
    text: `${name}: ${valueWords(value)}`,
    isShort: typeof value === "boolean" || typeof value === "number",
  }));
  return [...fields.filter(({ isShort }) => isShort), ...fields.filter(({ isShort }) => !isShort)]
    .map(({ text }) => text)
    .join(", ");
}

function valueWords(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return counted(value.length, "item");
  return isObject(value) ? counted(Object.keys(value).length, "field") : JSON.stringify(value ?? null);
}
