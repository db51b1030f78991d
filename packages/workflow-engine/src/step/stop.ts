import { type CasRef, ENV, type Fault, fault } from "@uncaged/workflow-protocol";
import { readThreadRecord, stillHeld } from "@uncaged/workflow-store";
import type { Host } from "../host.js";
import type { StepState } from "./types.js";

/** The first SIGINT, SIGTERM or SIGHUP while we hold the thread. */
export type SignalWatch = {
  /** Aborts with the signal's name as reason. */
  readonly abort: AbortSignal;
  readonly received: () => NodeJS.Signals | null;
  /** From now on a signal ends the process by default, unless this returns true. */
  readonly endUnless: (isHeld: () => boolean) => void;
  readonly stop: () => void;
};

/**
 * A process that holds a thread treats a signal as a request to stop; one that only waits for the lock is ended. Install
 * this before taking the lock: a signal in between would end us while we hold it.
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

/** Why no agent may start now: a signal, a kill, a pause, or a lock that was taken away; `null`: it may. */
export function reasonToStop(state: StepState): Fault | null {
  const signal = state.signals.received();
  if (signal !== null) return endedMeanwhile(state) ?? fault("INTERRUPTED", { signal, recorded: null });
  return endedMeanwhile(state) ?? paused(state, state.chain.head) ?? claimLost(state);
}

/** Whether the caller leases the thread at a remote. */
export function isLeased({ host, thread }: Pick<StepState, "host" | "thread">): boolean {
  return host.env[ENV.leased] === thread;
}

/** The fault if there is to be no further run of the thread, or if that cannot be read. */
export function paused(
  { host, storage, thread }: Pick<StepState, "host" | "storage" | "thread">,
  head: CasRef,
): Fault | null {
  const pause = readThreadRecord(storage, thread, "pause");
  if (!pause.ok) return pause.error;
  if (pause.value === null) return null;
  const { why, remote } = pause.value;
  if (!remote) return fault("THREAD_PAUSED", { thread, why, remote: false });
  return isLeased({ host, thread }) ? null : fault("THREAD_ON_REMOTE", { thread, head });
}

/** The fault if another command released our lock by force. */
export function claimLost({ claim }: StepState): Fault | null {
  const held = stillHeld(claim);
  return held.ok ? null : held.error;
}

/** The fault if the thread has ended, or if its ending cannot be read. */
export function endedMeanwhile({ storage, thread }: StepState): Fault | null {
  const ending = readThreadRecord(storage, thread, "ending");
  if (!ending.ok) return ending.error;
  return ending.value === null ? null : fault("THREAD_ENDED", { thread, reason: ending.value.reason });
}
