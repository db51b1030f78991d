import { describe, expect, it } from "vitest";
import { SCRIPT_RUNNER, sandbox, ZOO } from "../../../cli-workflow/test/support/uwf.js";
import { startTurns } from "../../../cli-workflow/test/support/workflows.js";
import { backoffMs, graceMs } from "../../src/step/agent-program.js";

describe("the wait before a retry", () => {
  it("doubles from a second up to a minute", () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 2000].map((attempt) => backoffMs({}, attempt) / 1000);
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it("has the unit of UWF_BACKOFF_SECONDS", () => {
    expect(backoffMs({ UWF_BACKOFF_SECONDS: "0.01" }, 1)).toBe(10);
    expect(backoffMs({ UWF_BACKOFF_SECONDS: "0.01" }, 100)).toBe(600);
    expect(backoffMs({ UWF_BACKOFF_SECONDS: "0" }, 5)).toBe(0);
  });

  it.each(["", " "])("is not changed by %j", (text) => {
    expect(backoffMs({ UWF_BACKOFF_SECONDS: text }, 1)).toBe(1000);
    expect(graceMs({ UWF_GRACE_SECONDS: text })).toBe(5000);
  });

  it.each(["soon", "-1", "NaN", "Infinity"])("is refused when it is %j", async (text) => {
    const box = sandbox();
    for (const name of ["UWF_GRACE_SECONDS", "UWF_BACKOFF_SECONDS"]) {
      const ran = await box.uwf(["thread", "step", "01ARZ3NDEKTSV4RRFFQ69G5FAV"], { env: { [name]: text } });
      expect(ran.code).toBe(2);
      expect(ran.stderr).toContain(`error[USAGE]: ${name} is "${text}", not a number of seconds\n`);
    }
  });
});

describe("a step whose output cannot be written", () => {
  it("says that the step is done, and is not to be repeated", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const step = ["thread", "step", thread, "--agent", `'${SCRIPT_RUNNER}' '${ZOO}' valid`];
    const ran = await box.uwf(step, { through: ["sh", "-c", 'exec "$@" >/dev/full', "sh"] });
    expect(ran.code).toBe(74);
    expect(ran.stderr).toContain("hint: only the output is lost, the command has done its work");
    expect((await box.json(["thread", "steps", thread])).steps).toHaveLength(2);
  });
});
