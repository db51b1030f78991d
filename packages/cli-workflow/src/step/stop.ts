import { type Fault, fault } from "@uncaged/workflow-protocol";
import { readEnding, stillHeld } from "@uncaged/workflow-store";
import type { Road } from "./types.js";

/** Why no agent may be started now: a signal came, or somebody killed or took the thread; `null` when it may. */
export function reasonToStop(road: Road): Fault | null {
  const signal = road.signals.received();
  if (signal !== null) return endedMeanwhile(road) ?? fault("INTERRUPTED", { signal, recorded: null });
  return endedMeanwhile(road) ?? claimLost(road);
}

/** Somebody took the thread away from this step by force. */
export function claimLost({ claim }: Road): Fault | null {
  const held = stillHeld(claim);
  return held.ok ? null : held.error;
}

/** The thread has an end, or nobody can tell. */
export function endedMeanwhile({ storage, thread }: Road): Fault | null {
  const ending = readEnding(storage, thread);
  if (!ending.ok) return ending.error;
  return ending.value === null ? null : fault("THREAD_ENDED", { thread, reason: ending.value.reason });
}
