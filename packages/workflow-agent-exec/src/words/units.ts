const MILLISECONDS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** The longest time that is not a slip of the pen. */
const MOST_DAYS = 365;

/** `90s`, `15m`, `2h`, `500ms`; a bare number counts seconds. In ms, `null` for anything else. */
export function durationMs(text: string): number | null {
  const [, digits = "", unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  const value = digits === "" ? 0 : Math.round(Number(digits) * (MILLISECONDS[unit] ?? 0));
  return value > 0 && value <= MOST_DAYS * 86_400_000 ? value : null;
}

const LARGEST = 16 * 1024 * 1024;

/** `16384`, `64k`, `1M` (powers of 1024), up to 16 MiB. In bytes, `null` for anything else. */
export function sizeBytes(text: string): number | null {
  const [, digits = "", unit = ""] = /^(\d+)([kKmM]?)$/.exec(text) ?? [];
  const factor = unit === "" ? 1 : unit.toLowerCase() === "k" ? 1024 : 1024 * 1024;
  const value = Number(digits || "0") * factor;
  return value > 0 && value <= LARGEST ? value : null;
}
