import type { ChatPort } from "./types.js";

/** What still may come after the last word of an answer (its usage), in ms. */
const AFTERWARDS_MS = 5_000;

/** Ends one request at its limits, or with the process. */
export type Watch = {
  readonly signal: AbortSignal;
  /** Something has arrived; `finished`: nothing more is needed. */
  readonly beat: (finished: boolean) => void;
  /** Whether anything has arrived. */
  readonly begun: () => boolean;
  /** Which limit has ended it, as the end of a sentence; `null`: none. */
  readonly expired: () => string | null;
  readonly close: () => void;
};

export function startWatch({ timeoutMs, idleMs, onActivity, signal }: ChatPort): Watch {
  const limit = new AbortController();
  let expired: string | null = null;
  const expire = (words: string): void => {
    expired ??= words;
    limit.abort();
  };
  const late = setTimeout(() => expire(`gave no answer within ${timeoutMs / 1000} s`), timeoutMs);
  const silent = (ms: number): ReturnType<typeof setTimeout> =>
    setTimeout(() => expire(`was silent for ${ms / 1000} s in the middle of its answer`), ms);
  let [begun, over] = [false, false];
  let idle = setTimeout(() => expire(`gave no answer within ${idleMs / 1000} s`), idleMs);
  return {
    signal: AbortSignal.any([limit.signal, signal]),
    beat: (finished) => {
      onActivity();
      begun = true;
      if (over) return;
      over = finished;
      clearTimeout(idle);
      idle = silent(finished ? Math.min(idleMs, AFTERWARDS_MS) : idleMs);
    },
    begun: () => begun,
    expired: () => expired,
    close: () => {
      clearTimeout(late);
      clearTimeout(idle);
    },
  };
}
