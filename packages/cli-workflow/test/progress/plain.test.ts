import type { EventOf } from "@uncaged/workflow-protocol";
import type { RunDir } from "@uncaged/workflow-store";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { WatchedDeps } from "../../src/progress/index.js";
import { openPlain } from "../../src/progress/plain.js";

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("thread run with stderr in a pipe", () => {
  it("tells now and then which role of which step is at work, between the agent's own lines", () => {
    const pieces: string[] = [];
    const stderr = { write: (piece: string) => void pieces.push(piece) };
    const deps = { host: { now: Date.now, stderr }, live: true } as unknown as WatchedDeps;
    const { watch } = openPlain(deps, "T1").begin();
    vi.advanceTimersByTime(10_000);
    const run = watch?.agent({ role: "reviewer" } as EventOf<"agent">, {} as RunDir);
    vi.advanceTimersByTime(10_000);
    run?.output?.write("half a line");
    vi.advanceTimersByTime(10_000);
    run?.output?.write(", and its end\n");
    vi.advanceTimersByTime(10_000);
    expect(pieces.join("")).toBe(
      "step 1 of T1, 10 s\nstep 1 of T1 (reviewer), 20 s\nhalf a line, and its end\nstep 1 of T1 (reviewer), 40 s\n",
    );
  });
});
