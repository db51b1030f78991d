import { guarded } from "./failure.js";
import { lazyOs } from "./spawn.js";
import type { WholeChildSpec } from "./types.js";

/** Milliseconds of a clock that only goes forward. The global `performance` costs Node.js 1 ms when it is first touched. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

// By hand: loading node:timers/promises costs bun 3 ms at every start of the program.

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/**
 * A pause of `ms` and a turn of the event loop; `clear` cancels the last one, whose timer would keep the process
 * alive.
 */
export function pauses(ms: number): { readonly pause: () => Promise<void>; readonly clear: () => void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    pause: () =>
      new Promise((resolve) => {
        timer = setTimeout(() => setImmediate(resolve), ms);
      }),
    clear: () => clearTimeout(timer),
  };
}

const TICK_MS = 100;

/** Why we end a running child. */
type Stop =
  | { readonly kind: "timeout"; readonly limit: "wall" | "idle" }
  | { readonly kind: "aborted"; readonly signal: NodeJS.Signals }
  | { readonly kind: "ended-after-result" };

type Watch = {
  /** The first reason to end the child; never settles without one. */
  readonly stopped: Promise<Stop>;
  readonly close: () => void;
};

/** Watches a child from now on; `size` is the number of bytes it has written. */
export function startWatch(spec: WholeChildSpec, size: () => number, fail: (error: unknown) => void): Watch {
  let stop: (reason: Stop) => void = () => {};
  const stopped = new Promise<Stop>((resolve) => {
    stop = resolve;
  });
  const look = lookout(spec, size, monotonicMs());
  const tick = guarded(() => {
    spec.onTick?.();
    const reason = look(monotonicMs());
    if (reason !== null) stop(reason);
  }, fail);
  const aborted = (): void => stop({ kind: "aborted", signal: abortSignalName(spec.abort) });
  const timer = setInterval(tick, TICK_MS);
  spec.abort?.addEventListener("abort", aborted, { once: true });
  // It may have come while the child was being started: that event is past.
  if (spec.abort?.aborted === true) aborted();
  const close = (): void => {
    clearInterval(timer);
    spec.abort?.removeEventListener("abort", aborted);
  };
  return { stopped, close };
}

/** A reason that is not a signal's name (a plain `abort()`) means SIGTERM. */
export function abortSignalName(abort: AbortSignal | null): NodeJS.Signals {
  const reason: unknown = abort?.reason;
  return isSignal(reason) ? reason : "SIGTERM";
}

function isSignal(value: unknown): value is NodeJS.Signals {
  return typeof value === "string" && Object.hasOwn(lazyOs().constants.signals, value);
}

// All times are monotonic: setting the clock ends no process. `lastActivity` is compared with itself only.
function lookout(spec: WholeChildSpec, size: () => number, startedAt: number): (now: number) => Stop | null {
  let sign: string | null = null;
  let signAt = startedAt;
  let resultAt: number | null = null;
  return (now) => {
    const next = signOfLife(spec, size);
    if (next !== sign) signAt = now;
    sign = next;
    if (resultAt === null && spec.resultSeen?.() === true) resultAt = now;
    return dueStop(spec.limits, {
      ran: now - startedAt,
      silent: now - signAt,
      done: resultAt === null ? null : now - resultAt,
    });
  };
}

function signOfLife(spec: WholeChildSpec, size: () => number): string {
  return spec.limits.idleMs === null ? "" : `${size()} ${spec.lastActivity?.() ?? ""}`;
}

type Elapsed = { readonly ran: number; readonly silent: number; readonly done: number | null };

// A result comes first: a child that has one is not called late.
function dueStop(limits: WholeChildSpec["limits"], elapsed: Elapsed): Stop | null {
  if (elapsed.done !== null && elapsed.done >= limits.graceMs) return { kind: "ended-after-result" };
  if (limits.timeoutMs !== null && elapsed.ran >= limits.timeoutMs) return { kind: "timeout", limit: "wall" };
  if (limits.idleMs !== null && elapsed.silent >= limits.idleMs) return { kind: "timeout", limit: "idle" };
  return null;
}
