import { describe, expect, it } from "vitest";
import { kill } from "../../src/check/cases.js";
import type { Lab, Ran, Variation } from "../../src/check/types.js";

const ENDED: Ran = {
  outcome: "exited with 0",
  code: 0,
  interrupted: false,
  endedAfterMs: 0,
  stdout: "",
  stderr: "",
  step: { ok: false, reason: "it printed nothing to stdout" },
  leaked: [],
  touched: [],
  left: 0,
};

/** The verdict on an agent whose runs end like this, and when each was to be interrupted, and with which task. */
async function verdictOn(runs: readonly Ran[]) {
  const variations: Partial<Variation>[] = [];
  const tasks: (string | null)[] = [];
  const lab = {
    graceMs: 5000,
    request: { task: "Write." },
    playNew: async (variation: Partial<Variation>, { task }: { task: string | null }) => {
      tasks.push(task);
      return runs[variations.push(variation) - 1] ?? ENDED;
    },
  };
  const verdict = await kill.run(lab as unknown as Lab);
  return { verdict, tasks, after: variations.map(({ interruptAfterMs }) => interruptAfterMs) };
}

describe("the kill of uwf-agent-check", () => {
  it("is tried again earlier, with more to do, and is not ok when the agent had always ended before", async () => {
    const { verdict, after, tasks } = await verdictOn([]);
    expect(verdict).toEqual({
      status: "skipped",
      says: "not tried: in 3 runs the agent had ended, or made its step, before the kill",
    });
    expect(after).toEqual([5000, 1000, 100]);
    expect(tasks).toEqual([null, expect.stringMatching(/^Write\./), expect.stringMatching(/^Write\./)]);
  });

  it("is judged by the first run that it meets", async () => {
    const killed = { ...ENDED, code: null, outcome: "was ended by SIGTERM", interrupted: true };
    const { verdict, after } = await verdictOn([ENDED, { ...killed, endedAfterMs: 20 }]);
    expect(verdict).toEqual({ status: "ok", says: "it ended within 5 s of SIGTERM" });
    expect(after).toHaveLength(2);
    expect((await verdictOn([ENDED, { ...killed, endedAfterMs: 6000 }])).verdict.status).toBe("failed");
  });

  it("is tried again when the step was made all the same", async () => {
    const step = { ok: true, node: {} } as Ran["step"];
    const { verdict, after } = await verdictOn([1, 2, 3].map(() => ({ ...ENDED, interrupted: true, step })));
    expect(verdict.status).toBe("skipped");
    expect(after).toHaveLength(3);
  });

  it("says nothing on an agent that fails by itself", async () => {
    expect((await verdictOn([{ ...ENDED, code: 1 }])).verdict).toEqual({
      status: "skipped",
      says: "not tried: it had failed before the kill, see good-reply",
    });
  });
});
