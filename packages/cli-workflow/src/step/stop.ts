import { type Fault, fault } from "@uncaged/workflow-protocol";
import { readEnding, stillHeld } from "@uncaged/workflow-store";
import type { Host } from "../io.js";
import type { StepState } from "./types.js";

/** The first SIGINT, SIGTERM or SIGHUP while a thread is held, if one came. */
export type SignalWatch = {
  /** Aborts with the signal's name as reason. */
  readonly abort: AbortSignal;
  readonly received: () => NodeJS.Signals | null;
  /** From now on a signal ends the process as it always does, unless this says that the thread is held. */
  readonly endUnless: (isHeld: () => boolean) => void;
  readonly stop: () => void;
};

/**
 * Who holds a thread takes a signal as a request, for it may come from a kill that wants to hear the end of it; who
 * only waits for one is ended. Watched before the lock is taken: between taking and watching a kill would end us.
 */
export function watchSignals(host: Host): SignalWatch {
  const controller = new AbortController();
  let received: NodeJS.Signals | null = null;
  let isHeld = (): boolean => false;
  const stop = host.onSignal((signal) => {
    if (isHeld()) {
      received ??= signal;
      controller.abort(received);
      return;
    }
    stop();
    host.kill(host.pid, signal);
  });
  return {
    abort: controller.signal,
    received: () => received,
    endUnless: (judge) => {
      isHeld = judge;
    },
    stop,
  };
}

/** Why no agent may be started now: a signal came, or somebody killed or took the thread; `null` when it may. */
export function reasonToStop(state: StepState): Fault | null {
  const signal = state.signals.received();
  if (signal !== null) return endedMeanwhile(state) ?? fault("INTERRUPTED", { signal, recorded: null });
  return endedMeanwhile(state) ?? claimLost(state);
}

/** Somebody took the thread away from this step by force. */
export function claimLost({ claim }: StepState): Fault | null {
  const held = stillHeld(claim);
  return held.ok ? null : held.error;
}

/** The thread has an end, or nobody can tell. */
export function endedMeanwhile({ storage, thread }: StepState): Fault | null {
  const ending = readEnding(storage, thread);
  if (!ending.ok) return ending.error;
  return ending.value === null ? null : fault("THREAD_ENDED", { thread, reason: ending.value.reason });
}
