import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SCRIPT_RUNNER, sandbox, ZOO } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

const PROVIDERS = "providers: { p: { baseUrl: 'https://example.org/v1', apiKeyEnv: P_API_KEY } }\n";

const CASES = [
  ["an unknown agent", `agents: { zoo: { command: x } }\ndefaultAgent: zo\n`, ":2:", 'did you mean "zoo"'],
  ["a model with an unknown provider", `${PROVIDERS}models: { m: { provider: q, name: n } }\n`, ":2:", "q"],
  ["args as a string", "agents: { zoo: { command: x, args: --fast } }\n", ":1:", "args"],
  ["a tab", "agents:\n\tzoo: { command: x }\n", ":2:", "tab"],
  ["a list", "- a\n", "config.yaml", ""],
  ["a negative limit", "agents: { zoo: { command: x, timeoutSeconds: -1 } }\n", ":1:", "timeoutSeconds"],
] as const;

describe("a config.yaml with", () => {
  it.each(CASES)(
    "%s exits 4 and names the line; the head has not moved",
    async (_name, config, place, message) => {
      const box = sandbox();
      const thread = await startTurns(box);
      box.write(join(box.root, "config.yaml"), config);
      const before = box.snapshot();
      const ran = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
      expect(ran).toMatchObject({ code: 4, stdout: "" });
      expect(ran.stderr).toContain("error[INVALID_CONFIG]");
      expect(ran.stderr).toContain(place);
      expect(ran.stderr).toContain(message);
      expect(box.snapshot()).toEqual(before);
    },
  );

  it("an unknown key is warned about and works", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    box.write(join(box.root, "config.yaml"), "defaultAgnt: zoo\n");
    const ran = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain('did you mean "defaultAgent"');
  });

  it.each([
    ["agentOverides: { turns: { maker: good } }", 'did you mean "agentOverrides"'],
    ["agentOverride: { turns: { maker: good } }", 'did you mean "agentOverrides"'],
    ["agentoverrides: { turns: { maker: good } }", 'did you mean "agentOverrides"'],
    ["limit: { default: { maxCostUsd: 1 } }", 'did you mean "limits"'],
    ["limits: { default: { maxCostUSD: 1 } }", 'did you mean "maxCostUsd"'],
    ["limits: { turns: { usd: 1 } }", "known keys: maxSteps, maxCostUsd, maxMinutes"],
  ])("%s is an error: money would go where the author does not want it", async (config, words) => {
    const box = sandbox();
    const thread = await startTurns(box);
    box.write(join(box.root, "config.yaml"), `${config}\n`);
    const ran = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain(words);
  });

  it("an override for a role runs that role's agent and no other", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const agent = (behaviour: string) => ({
      command: SCRIPT_RUNNER,
      args: [ZOO, behaviour],
    });
    const config = {
      agents: { good: agent("valid"), bad: agent("exit3") },
      defaultAgent: "bad",
      agentOverrides: { turns: { maker: "good" } },
    };
    box.write(join(box.root, "config.yaml"), JSON.stringify(config));
    expect((await box.uwf(["thread", "step", thread])).code).toBe(0);
    expect((await box.uwf(["thread", "step", thread])).code).toBe(6);
    expect((await box.uwf(["thread", "step", thread, "--agent", "good"])).code).toBe(0);
  });

  it("a time limit ends an agent that hangs, and a limit without a sign of life too", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const agent = {
      command: SCRIPT_RUNNER,
      args: [ZOO, "neverExits"],
    };
    const config = { agents: { slow: { ...agent, timeoutSeconds: 1 }, idle: { ...agent, idleSeconds: 1 } } };
    box.write(join(box.root, "config.yaml"), JSON.stringify(config));
    const slow = await box.uwf(["thread", "step", thread, "--agent", "slow"], {
      env: { UWF_GRACE_SECONDS: "0.3" },
    });
    expect(slow.code).toBe(6);
    expect(slow.stderr).toContain("ran longer than 1 s");
    const idle = await box.uwf(["thread", "step", thread, "--agent", "idle"], {
      env: { UWF_GRACE_SECONDS: "0.3" },
    });
    expect(idle.code).toBe(6);
    expect(idle.stderr).toContain("no sign of life for 1 s");
  });
});
