import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configure, ENVIRONMENT, FILE_KEY, filesWithKeys, LEAKY, PROVIDER_KEY } from "../secrets/support.js";
import { MOCK, RUNTIMES, type Sandbox, SCRIPT_RUNNER, sandbox } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";
import { judged, MADE } from "./support.js";

const SCENARIO = {
  roles: { maker: [{ reply: MADE, sessionId: "s-1" }], checker: [{ reply: judged(false) }] },
};

async function agentsOf(box: Sandbox, thread: string): Promise<readonly string[]> {
  const { steps } = await box.json(["thread", "steps", thread]);
  return steps.slice(1).map(({ agent }) => agent);
}

describe("a step's agent", () => {
  it.each(RUNTIMES)("is the command as it was chosen, with its arguments (%s)", async (runtime) => {
    const box = sandbox(runtime);
    const scenario = box.write("a scenario.json", JSON.stringify(SCENARIO));
    const thread = await startTurns(box);
    await box.json(["thread", "step", thread, "--agent", `"${MOCK}" --scenario "${scenario}"`]);
    expect(await agentsOf(box, thread)).toEqual([`${MOCK} --scenario '${scenario}'`]);
    const { stdout } = await box.uwf(["thread", "usage", thread, "--table"]);
    expect(stdout).toMatch(/^maker {2}uwf-mock {2}/m);
  });

  it("has a session that goes on when its arguments have changed", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    for (const name of ["one.json", "two.json", "three.json"]) {
      const scenario = box.write(name, JSON.stringify(SCENARIO));
      await box.json(["thread", "step", thread, "--agent", `${MOCK} --scenario ${scenario}`]);
    }
    const { head } = await box.json(["thread", "show", thread]);
    const detail = await box.json(["thread", "step-details", head]);
    expect(detail).toMatchObject({
      agent: "uwf-mock",
      prompt: { text: expect.stringContaining("# What happened since your last step") },
    });
  });

  it("holds no key", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const args = [LEAKY, "reply", join(box.cwd, "gate"), `--key=${PROVIDER_KEY}`, FILE_KEY];
    configure(box, { command: SCRIPT_RUNNER, args });
    box.write("gate", "");
    const ran = await box.uwf(["thread", "step", thread], { env: ENVIRONMENT });
    expect(ran.code).toBe(0);
    const [agent] = await agentsOf(box, thread);
    expect(agent).toMatch(/ '--key=\[redacted:PROVIDER_KEY\]' '\[redacted:FILE_KEY\]'$/);
    expect(filesWithKeys(join(box.root, "cas"))).toEqual([]);
  });
});

describe("an agent's environment", () => {
  it("has one key for all runs of a step, and another one for the next step", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const keys = join(box.cwd, "keys");
    const fails = `sh -c 'echo "$UWF_STEP_KEY" >> "$0"; exit 1' '${keys}'`;
    const told = async (): Promise<readonly string[]> => {
      await box.uwf(["thread", "step", thread, "--agent", fails, "--retries", "1"], {
        env: { UWF_BACKOFF_SECONDS: "0" },
      });
      return readFileSync(keys, "utf8").trim().split("\n");
    };
    await told();
    expect(new Set(await told()).size).toBe(1);
    await box.json([
      "thread",
      "step",
      thread,
      "--agent",
      `${MOCK} --scenario ${box.write("s.json", JSON.stringify(SCENARIO))}`,
    ]);
    const all = await told();
    expect(all).toHaveLength(6);
    expect(new Set(all).size).toBe(2);
  });
});
