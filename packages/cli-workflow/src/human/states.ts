import type { Held, ThreadId } from "@uncaged/workflow-protocol";
import type { Paint } from "../paint.js";
import type { Cell } from "./table.js";

/**
 * What a person is told of a thread. `failing`: its last run failed, or no decision leads on; `damaged`: it cannot be
 * read.
 */
export type SeenState = "active" | "running" | "held" | "failing" | "ended" | "failed" | "killed" | "damaged";

/** The state in its colour. */
export function stateCell(state: SeenState, paint: Paint): Cell {
  return { text: state, paint: paintOf(state, paint) };
}

export function paintOf(state: SeenState, paint: Paint): (text: string) => string {
  switch (state) {
    case "active":
      return (text) => text;
    case "running":
      return paint.busy;
    case "held":
      return paint.warn;
    case "ended":
      return paint.good;
    case "killed":
      return paint.dim;
    default:
      return paint.bad;
  }
}

/** How a thread ended, as its state. */
export const ENDED_AS = { end: "ended", failed: "failed", killed: "killed" } as const;

/** `waits for an answer`, with whatever is known of it. */
export function heldWords(
  { for: what, threads, limit }: Held,
  thread: ThreadId,
  idOf: (thread: ThreadId) => string,
): string {
  switch (what) {
    case "answer":
      return "waits for an answer";
    case "threads":
      return `waits for ${threads.length === 1 ? idOf(threads[0] as ThreadId) : `${threads.length} threads`}`;
    case "resume":
      return "paused";
    case "limit":
      return limit === null || limit.of === thread ? "at its limit" : `at the limit of ${idOf(limit.of)}`;
    case "change":
      return "waits for a change";
  }
}

/** The same with the id that a person types. */
export function withShortIds(held: Held, idOf: (thread: string) => string): Held {
  return held.limit === null
    ? held
    : { ...held, limit: { ...held.limit, of: idOf(held.limit.of) as ThreadId } };
}
