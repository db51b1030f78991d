import type { Host } from "../io/index.js";

/** The first SIGINT, SIGTERM or SIGHUP of this step, if one came. */
export type SignalWatch = {
  /** Aborts with the signal's name as reason. */
  readonly abort: AbortSignal;
  readonly received: () => NodeJS.Signals | null;
  readonly stop: () => void;
};

export function watchSignals(host: Host): SignalWatch {
  const controller = new AbortController();
  let received: NodeJS.Signals | null = null;
  const stop = host.onSignal((signal) => {
    received ??= signal;
    controller.abort(received);
  });
  return { abort: controller.signal, received: () => received, stop };
}
