import type { ChatFailure, ChatPort } from "./types.js";

const MOST_TRIES = 4;
const FIRST_WAIT_MS = 1000;
/** Who asks for a longer wait is left alone: the step fails and can be repeated then. */
const LONGEST_WAIT_MS = 60_000;

/** `Retry-After` as ms from now: seconds or an HTTP date; `null` when absent or unreadable. */
export function retryAfterMs(header: string | null, now: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** What to wait before the next try, in ms; `null`: no further try. `tries` counts those made. */
export function nextWait(failure: ChatFailure, tries: number): number | null {
  if (!failure.transient || tries >= MOST_TRIES) return null;
  const wait = failure.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (tries - 1);
  return wait > LONGEST_WAIT_MS ? null : wait;
}

/** An extract with its whole answer. */
const EXTRACT_MS = 120_000;

const REAL = { fetch: globalThis.fetch, sleep, now: Date.now };

/** The port of a real run. */
export function realPort(signal: AbortSignal): ChatPort {
  return { ...REAL, timeoutMs: EXTRACT_MS, idleMs: EXTRACT_MS, onActivity: () => {}, signal };
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
