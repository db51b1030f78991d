import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { logLines } from "../support/logs.js";
import { RUNTIMES, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";

const SHORT = { UWF_BACKOFF_SECONDS: "0.01" };

/** An agent that tells this failure in its run's report, as the kit does, and exits with 1. */
function failing(box: Sandbox, told: object): string {
  const fault = {
    ...{ code: "AGENT_FAILED", reason: null, retryAfter: null, retryable: true },
    ...{ message: "the provider said no", hint: null },
    ...told,
  };
  box.write("fault.json", JSON.stringify({ fault }));
  return `sh '${box.write("agent.sh", `cp fault.json "$UNCAGED_WORKFLOW_STORAGE_ROOT/runs/$1/$UWF_RUN/report.json"; exit 1\n`)}'`;
}

const asJson = (stderr: string) => JSON.parse(stderr.trim().split("\n").at(-1) ?? "");

describe("a failure with a reason", () => {
  it.each(RUNTIMES)("is in the error, the log and the state, once (%s)", async (runtime) => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    const agent = failing(box, { reason: "network", hint: "look at the cable" });
    const ran = await box.uwf(["thread", "step", thread, "--agent", agent]);
    expect(ran).toMatchObject({ code: 6, stdout: "" });
    expect(ran.stderr).toBe("error[AGENT_FAILED]: the provider said no\nhint: look at the cable\n");
    expect(logLines(box)).toMatchObject([{ code: "AGENT_FAILED", reason: "network" }]);
    const { lastFailure } = await box.json<Record<string, unknown>>(["thread", "show", thread]);
    expect(lastFailure).toMatchObject({ reason: "network", message: "the provider said no" });
    const again = await box.uwf(["thread", "step", thread, "--agent", agent, "--error-format", "json"]);
    expect(asJson(again.stderr)).toMatchObject({ retryable: true, data: { reason: "network" } });
  });

  it.each([{ reason: "auth" }, { reason: "quota" }, { reason: "bad-result", retryable: false }])(
    "$reason, which no retry helps, is not repeated and not called retryable",
    async (told) => {
      const box = sandbox();
      const thread = await startTurns(box);
      const command = ["thread", "step", thread, "--retries", "3", "--agent", failing(box, told)];
      const ran = await box.uwf([...command, "--error-format", "json"], { env: SHORT });
      expect(ran.code).toBe(6);
      expect(asJson(ran.stderr)).toMatchObject({ retryable: false, data: { reason: told.reason } });
      expect(logLines(box)).toHaveLength(1);
    },
  );

  it("is a bare exit status as crashed, a time limit as timeout, and no result as bad-result", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const ways = [
      ["sh -c 'exit 3'", "crashed"],
      ["sleeper", "timeout"],
      ["sh -c 'echo no'", "bad-result"],
    ] as const;
    const sleeper = { command: "sh", args: ["-c", "exec sleep 60"], timeoutSeconds: 0.5 };
    box.write(join(box.root, "config.yaml"), JSON.stringify({ agents: { sleeper } }));
    for (const [agent, reason] of ways) {
      const command = ["thread", "step", thread, "--agent", agent, "--error-format", "json"];
      expect(asJson((await box.uwf(command)).stderr).data.reason).toBe(reason);
    }
    expect(logLines(box).map((line) => line.reason)).toEqual(ways.map(([, reason]) => reason));
  });
});

describe("a rate limit that names its end", () => {
  it("is waited for within --wait, announced on stderr, and uses up no retry", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const agent = failing(box, { reason: "rate-limit", retryAfter: 1 });
    const ran = await box.uwf(["thread", "step", thread, "--wait", "2.5", "--agent", agent], { env: SHORT });
    expect(ran.code).toBe(75);
    expect(ran.stderr.match(/the provider said no; next try in 1 s\n/g)).toHaveLength(2);
    expect(logLines(box)).toMatchObject([{ reason: "rate-limit", retryAfter: 1 }, {}, {}]);
  });

  it("is waited for by a retry", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const agent = failing(box, { reason: "rate-limit", retryAfter: 1 });
    const ran = await box.uwf(["thread", "step", thread, "--retries", "1", "--agent", agent], { env: SHORT });
    expect(ran.stderr).toContain("; retry 1 of 1 in 1 s\n");
    expect(ran.code).toBe(75);
    expect(logLines(box)).toHaveLength(2);
  });

  it("is exit 75 with the time where it ends later than the step may wait", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const agent = failing(box, { reason: "rate-limit", retryAfter: 3600 });
    const command = ["thread", "step", thread, "--retries", "5", "--wait", "10", "--agent", agent];
    const ran = await box.uwf([...command, "--error-format", "json"], { env: SHORT });
    expect(ran.code).toBe(75);
    expect(asJson(ran.stderr)).toMatchObject({
      code: "RATE_LIMITED",
      retryable: true,
      data: { retryAfter: 3600, reason: "rate-limit" },
    });
    expect(logLines(box)).toHaveLength(1);
    const { lastFailure } = await box.json<Record<string, unknown>>(["thread", "show", thread]);
    expect(lastFailure).toMatchObject({ reason: "rate-limit" });
  });
});
