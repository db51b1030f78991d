import { describe, expect, it } from "vitest";
import { MOCK, RUNTIMES, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";

const mock = (scenario: string): string => `'${MOCK}' --scenario '${scenario}'`;

const REFUSED = [
  ["a scenario that does not exist", () => mock("nowhere.yaml"), "FILE_NOT_FOUND", "nowhere.yaml"],
  [
    "a scenario with a mistyped key",
    (box: Sandbox) => mock(box.write("s.yaml", "roles:\n  maker: [{ replay: x }]\n")),
    "INVALID_INPUT",
    "unknown key replay",
  ],
  [
    "a scenario without the role",
    (box: Sandbox) => mock(box.write("s.yaml", "roles:\n  makr: [{ reply: x }]\n")),
    "INVALID_INPUT",
    "it has no role maker; its roles are makr",
  ],
  ["an option that the agent does not know", () => `'${MOCK}' --scenari x`, "USAGE", "unknown argument"],
] as const;

describe("an agent that cannot work as it is configured", () => {
  it.each(REFUSED)("%s: exit 4, once", async (_case, agent, code, sentence) => {
    const box = sandbox();
    const thread = await startTurns(box);
    const command = ["thread", "step", thread, "--retries", "3", "--agent", agent(box)];
    const ran = await box.uwf([...command, "--error-format", "json"]);
    expect(ran).toMatchObject({ code: 4, stdout: "" });
    const told = JSON.parse(ran.stderr.trim().split("\n").at(-1) ?? "");
    expect(told).toMatchObject({ code: "AGENT_REFUSED", retryable: false });
    expect(told.data.refusal.code).toBe(code);
    expect(told.message).toContain(sentence);
    const { runs, lastFailure } = await box.json<Record<string, unknown>>(["thread", "show", thread]);
    expect(runs).toEqual({ failed: 1, abandoned: 0 });
    expect(lastFailure).toMatchObject({ code: "AGENT_REFUSED" });
  });

  it.each(RUNTIMES)("says what is wrong, with the agent's own hint (%s)", async (runtime) => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    const ran = await box.uwf(["thread", "step", thread, "--agent", `'${MOCK}'`]);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain("as maker: no scenario is named\nhint: usage: uwf-mock [--scenario <file>]");
  });

  it("differs from an agent that ran and failed, which exits with 6", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const scenario = box.write("s.yaml", "roles:\n  maker: [{ exitCode: 4 }]\n");
    const ran = await box.uwf(["thread", "step", thread, "--agent", mock(scenario)]);
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain("error[AGENT_FAILED]");
  });
});
