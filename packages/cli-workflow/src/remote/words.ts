import type { RemoteThread } from "@uncaged/workflow-remote";
import { ago } from "../human/index.js";

/** A thread of the remote in a line. */
export function stateOf(
  { thread, steps, ended, held, paused, leasedBy, changedAt }: RemoteThread,
  now: number,
): string {
  const state = ended ?? (leasedBy !== null && held === null ? "at a worker" : waitWords({ held, paused }));
  return `${thread}  step ${steps}, ${ago(changedAt, now)}  ${state}${andThen({ ended, paused, leasedBy, held })}`;
}

type Waits = Pick<RemoteThread, "held" | "paused">;

function waitWords({ held, paused }: Waits): string {
  if (paused !== null) return `paused${paused.why === null ? "" : `: ${paused.why}`}`;
  if (held === null) return "ready";
  const question = held.question === null ? "" : `: ${held.question}`;
  return `${held.for === "failure" ? "failed" : `waits for ${held.for === "answer" ? "an answer" : held.for}`}${question}`;
}

function andThen({
  ended,
  held,
  paused,
  leasedBy,
}: Waits & Pick<RemoteThread, "ended" | "leasedBy">): string {
  const isAtWorker = ended === null && leasedBy !== null && held === null;
  return isAtWorker && paused !== null ? ", then it is paused" : "";
}
