import type { Live } from "./live.js";

/**
 * An agent that is asked to end is told so in its own words first: one that can, ends its tools and keeps its session.
 * Gives the function that stops listening.
 */
export function endOnAbort(live: Live, signal: AbortSignal): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const { connection } = live;
  const aborted = (): void => {
    const reason = String(signal.reason);
    const { listener } = live;
    if (listener !== null) connection.notify("session/cancel", { sessionId: listener.sessionId });
    const ms = listener === null ? 0 : live.talk.limits.cancelMs;
    timer = setTimeout(() => connection.kill(reason), ms);
  };
  signal.addEventListener("abort", aborted, { once: true });
  if (signal.aborted) aborted();
  return () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", aborted);
  };
}
