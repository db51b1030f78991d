import { describe, expect, it } from "vitest";
import {
  exitCodeOf,
  type Fault,
  fault,
  fromCasFault,
  hintOf,
  messageOf,
  reportOf,
  whoseIs,
} from "../../src/index.js";

const routing = { workflow: "solve-issue", role: "reviewer", head: null, recorded: null };

describe("a fault", () => {
  it("has a sentence that names the value, a hint, and an exit code", () => {
    const failure = fault("THREAD_NOT_FOUND", { thread: "01KAJ5E8ZJ4N7XK3M9T2V6W8YB" });
    expect(messageOf(failure)).toBe("there is no thread 01KAJ5E8ZJ4N7XK3M9T2V6W8YB");
    expect(hintOf(failure)).toContain("uwf thread list --all");
    expect(exitCodeOf(failure)).toBe(3);
  });

  it("is reported to machines as code, message, hint, retryable and data", () => {
    const failure = fault("THREAD_BUSY", { thread: "T", holder: "pid 7" });
    expect(reportOf(failure)).toEqual({
      code: "THREAD_BUSY",
      message: "thread T is busy: pid 7",
      hint: hintOf(failure),
      retryable: true,
      data: { thread: "T", holder: "pid 7" },
    });
  });

  it("of the store below keeps its code and fields", () => {
    const failure = fromCasFault({
      code: "NODE_DAMAGED",
      hash: "H",
      file: "/cas/H.bin",
      reason: "wrong hash",
    });
    expect(messageOf(failure)).toBe("node H is damaged: wrong hash (/cas/H.bin)");
    expect(exitCodeOf(failure)).toBe(7);
  });

  it("of damage is the machine's, or that of its copy of one thread", () => {
    const reason = "r";
    const limits = "/root/runs/01KAJ5E8ZJ4N7XK3M9T2V6W8YB/limits.json";
    const failures: readonly Fault[] = [
      fault("STORE_DAMAGED", { file: "/root/threads.yaml", reason }),
      fault("PACK_DAMAGED", { file: "/root/cas/pack/p", reason }),
      fault("STORE_DAMAGED", { file: limits, reason }),
      fault("CHAIN_DAMAGED", { head: "H", node: "N", reason }),
      fault("NODE_DAMAGED", { hash: "H", file: "/cas/H.bin", reason }),
    ];
    expect(failures.map(whoseIs)).toEqual(["machine", "machine", "copy", "copy", "copy"]);
  });

  it("of an interruption exits with the signal's code", () => {
    const codes = ["SIGHUP", "SIGINT", "SIGTERM"].map((signal) =>
      exitCodeOf(fault("INTERRUPTED", { signal, recorded: null })),
    );
    expect(codes).toEqual([129, 130, 143]);
  });

  it("of routing after a recorded step says under which hash the step is recorded", () => {
    const failure: Fault = fault("NO_TRANSITION", { ...routing, recorded: "ABC", tried: ["approved"] });
    expect(messageOf(failure)).toBe(
      "no transition matches after reviewer in workflow solve-issue; false: approved; the step before it is recorded as ABC",
    );
  });

  it("of routing names the command that goes on from the head under the corrected workflow", () => {
    const at = { ...routing, head: "7YQ5C0QZ2T1VA" };
    const condition = { ...at, condition: "ok", expression: "x" };
    const failures: readonly Fault[] = [
      fault("CONDITION_FAILED", { ...condition, reason: "r" }),
      fault("CONDITION_NOT_BOOLEAN", { ...condition, value: "1", missing: [] }),
      fault("CONDITION_NOT_BOOLEAN", { ...condition, value: "no value", missing: ["x"] }),
      fault("NO_TRANSITION", { ...at, tried: [] }),
      fault("UNKNOWN_CONDITION", { ...at, condition: "ok" }),
      fault("UNKNOWN_ROLE", { ...at, target: "tester" }),
    ];
    for (const failure of failures)
      expect(hintOf(failure)).toContain("`uwf thread fork 7YQ5C0QZ2T1VA --workflow solve-issue`");
  });

  it("of steps that do not fit names each, and the newest node before them", () => {
    const problems = [
      { step: "A", role: "coder", violations: ["there is no such role"] },
      { step: "B", role: "tester", violations: ["/a: expected b", "/c: expected d"] },
    ];
    const failure = fault("STEPS_DO_NOT_FIT", { workflow: "./my file.yaml", problems, fits: "S" });
    expect(messageOf(failure)).toBe(
      "2 steps of the thread do not fit the workflow ./my file.yaml:\n  A (coder): there is no such role\n  B (tester): /a: expected b\n  B (tester): /c: expected d",
    );
    expect(hintOf(failure)).toContain("`uwf thread fork S --workflow './my file.yaml'`");
    expect(exitCodeOf(failure)).toBe(4);
  });

  it("of a condition that read a missing field names the field and hints at $exists", () => {
    const failure = fault("CONDITION_NOT_BOOLEAN", {
      ...routing,
      condition: "ok",
      expression: "$not(steps[-1].output.x)",
      value: "nothing",
      missing: ["steps[-1].output.x"],
    });
    expect(messageOf(failure)).toContain("it read steps[-1].output.x, which does not exist");
    expect(hintOf(failure)).toContain("$exists(x)");
  });

  it("of a workflow file lists every problem with its place and suggestion", () => {
    const problem = {
      severity: "error",
      line: 3,
      column: 5,
      code: "unknown-key",
      path: "/roles/a/goals",
      message: 'unknown key "goals"',
      suggestion: "goal",
      also: [],
    } as const;
    const failure = fault("INVALID_WORKFLOW", { file: "w.yaml", problems: [problem] });
    expect(messageOf(failure)).toBe(
      'w.yaml is not a valid workflow, 1 problem:\n  w.yaml:3:5: unknown key "goals", did you mean "goal"?',
    );
  });
});
