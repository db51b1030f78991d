import { type Fault, fault } from "@uncaged/workflow-protocol";
import { readEnding } from "@uncaged/workflow-store";
import type { Road } from "./types.js";

/** Why no agent may be started now: a signal came, or somebody killed the thread; `null` when it may. */
export function reasonToStop(road: Road): Fault | null {
  const signal = road.signals.received();
  return endedMeanwhile(road) ?? (signal === null ? null : fault("INTERRUPTED", { signal, recorded: null }));
}

/** The thread has an end, or nobody can tell. */
export function endedMeanwhile({ storage, thread }: Road): Fault | null {
  const ending = readEnding(storage, thread);
  if (!ending.ok) return ending.error;
  return ending.value === null ? null : fault("THREAD_ENDED", { thread, reason: ending.value.reason });
}
