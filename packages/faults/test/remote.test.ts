import { describe, expect, it } from "vitest";
import { runKind } from "../src/frame.js";
import { CAN_RUN, remote } from "../src/remote/remote.js";

describe.skipIf(!CAN_RUN)("a remote whose workers, roots and database die", () => {
  it("takes every thread to its end, and runs no step twice without a reason", async () => {
    const { figures, violations } = await runKind(remote, 1, { level: "sample" });
    expect(violations).toEqual([]);
    expect(figures).toMatchObject({
      "threads to their end": 6,
      steps: 30,
      "kills of workers": 1,
      "kills of agents": 1,
      "roots deleted": 1,
      "restarts of PostgreSQL": 1,
      "repeats that nothing explains": 0,
      "steps whose files are in the thread's commit": 15,
    });
    expect(figures["steps that came too late, refused and kept"]).toBeGreaterThanOrEqual(1);
  }, 240_000);
});
