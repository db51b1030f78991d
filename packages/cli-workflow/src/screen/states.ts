import { type Held, type SeenState, type ThreadId, waitWords } from "@uncaged/workflow-protocol";
import type { Paint } from "./paint.js";
import type { Cell } from "./table.js";

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
    case "abandoned":
      return paint.warn;
    case "ended":
      return paint.good;
    case "killed":
      return paint.dim;
    default:
      return paint.bad;
  }
}

/** What it waits for, as its state: `waits for an answer`, `paused`. The role is shown elsewhere. */
export function heldState(held: Held, thread: ThreadId, idOf: (thread: ThreadId) => string): string {
  return waitWords({ ...held, role: null }, thread, idOf).replace(/^is /, "");
}
