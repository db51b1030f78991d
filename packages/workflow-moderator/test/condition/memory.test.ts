import { describe, expect, it } from "vitest";
import { createMemoryWatch } from "../../src/isolated.js";

/** No process that runs has so much, nor so little. */
const ALL_KIB = 2 ** 40;

describe("the watch of a process's memory", () => {
  it("calls once when the process has more than it may, and says so when it is stopped", async () => {
    let calls = 0;
    const exceeded = new Promise<void>((resolve) => {
      const watch = createMemoryWatch(1, () => {
        calls += 1;
        // What is called only once has been called by then.
        setTimeout(() => resolve(expect(watch.stop()).toBe(true)), 20);
      });
      watch.watch(process.pid);
      watch.watch(process.pid);
    });
    await exceeded;
    expect(calls).toBe(1);
  });

  it("does not call for a process within its limit, one that has ended, or after its stop", async () => {
    const calls: string[] = [];
    const within = createMemoryWatch(ALL_KIB, () => calls.push("within"));
    const ended = createMemoryWatch(1, () => calls.push("ended"));
    const stopped = createMemoryWatch(1, () => calls.push("stopped"));
    within.watch(process.pid);
    ended.watch(2 ** 30);
    stopped.watch(process.pid);
    stopped.stop();
    await new Promise((resolve) => {
      const last = createMemoryWatch(1, () => resolve(null));
      last.watch(process.pid);
    });
    expect([within.stop(), ended.stop(), stopped.stop()]).toEqual([false, false, false]);
    expect(calls).toEqual([]);
  });
});
