import { describe, expect, it } from "vitest";
import type { Host } from "../../src/host.js";
import { watchSignals } from "../../src/step/index.js";

/** A host that hears signals from the test and tells what was sent. */
function deafHost() {
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  const sent: (readonly [number, NodeJS.Signals])[] = [];
  const host = {
    pid: 42,
    onSignal: (listener: (signal: NodeJS.Signals) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    kill: (pid: number, signal: NodeJS.Signals) => {
      sent.push([pid, signal]);
      return true;
    },
  } as unknown as Host;
  const raise = (signal: NodeJS.Signals): void => {
    for (const listener of [...listeners]) listener(signal);
  };
  return { host, sent, raise, listening: () => listeners.size };
}

describe("a signal", () => {
  it("while nothing is held goes on to where it would have gone unwatched", () => {
    const { host, sent, raise, listening } = deafHost();
    const signals = watchSignals(host);
    raise("SIGTERM");
    expect(sent).toEqual([[42, "SIGTERM"]]);
    expect(listening()).toBe(0);
    expect(signals.received()).toBeNull();
  });

  it("while a thread is held is a request: the first one is kept", () => {
    const { host, sent, raise } = deafHost();
    const signals = watchSignals(host);
    let isHeld = false;
    signals.endUnless(() => isHeld);
    isHeld = true;
    raise("SIGTERM");
    raise("SIGINT");
    expect(sent).toEqual([]);
    expect(signals.received()).toBe("SIGTERM");
    expect(signals.abort.reason).toBe("SIGTERM");
    signals.stop();
  });
});
