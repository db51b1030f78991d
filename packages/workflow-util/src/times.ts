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
