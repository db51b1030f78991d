import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { logLines } from "../support/logs.js";
import { RUNTIMES, type Sandbox, SCRIPT_RUNNER, sandbox, ZOO } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";
import { configure, ENVIRONMENT, expectClean, FILE_KEY, filesWithKeys, PROVIDER_KEY } from "./support.js";

// Agents that know nothing of the kit: what they write to nodes is theirs, everything that uwf shows or keeps is ours.

const VARIABLES = {
  ...ENVIRONMENT,
  COLOURED: `${PROVIDER_KEY.slice(0, 9)}\u001b[1m${PROVIDER_KEY.slice(9)}`,
  SAME_AS_IN_FILE: FILE_KEY,
};

const zooAgent = (...behaviour: readonly string[]) => ({
  command: SCRIPT_RUNNER,
  args: [ZOO, ...behaviour],
});

async function failing(box: Sandbox, agent: object, ...args: readonly string[]) {
  const thread = await startTurns(box);
  configure(box, agent);
  const ran = await box.uwf(["thread", "step", thread, ...args], { env: VARIABLES });
  expect(ran.code).toBe(6);
  expectClean(ran);
  expect(filesWithKeys(box.root)).toEqual([]);
  return ran;
}

describe.each(RUNTIMES)("on %s, a key that any agent prints", (runtime) => {
  it("to stderr in pieces is shown as its name", async () => {
    const box = sandbox(runtime);
    const ran = await failing(box, zooAgent("printsPieces", "PROVIDER_KEY", "3"));
    expect(ran.stderr).toContain("key [redacted:PROVIDER_KEY] end\n");
    expect(logLines(box).at(-1)?.stderr).toContain("key [redacted:PROVIDER_KEY] end\n");
  });

  it("to stderr with terminal codes in it is shown as its name, and the codes are gone", async () => {
    const box = sandbox(runtime);
    const ran = await failing(box, zooAgent("printsPieces", "COLOURED", "4"));
    expect(ran.stderr).toContain("key [redacted:PROVIDER_KEY] end\n");
    expect(ran.stderr).not.toContain("\u001b");
  });

  it("as its result is named in the error by its name, also where the error is cut", async () => {
    const box = sandbox(runtime);
    const ran = await failing(box, zooAgent("printsVariable", "SAME_AS_IN_FILE"));
    expect(ran.stderr).toContain("x [redacted:");
    expect(ran.stderr).not.toContain("sk-");
  });
});

describe("a key at the beginning of a tail", () => {
  it.each([1, 5, 12, PROVIDER_KEY.length - 1])(
    "leaves no part of it in the log (%i characters)",
    async (inside) => {
      const box = sandbox();
      const thread = await startTurns(box);
      configure(box, zooAgent("printsBefore", "PROVIDER_KEY", String(4096 - inside)));
      const ran = await box.uwf(["thread", "step", thread], { env: VARIABLES });
      expect(ran.code).toBe(6);
      const line = logLines(box).at(-1);
      for (const text of [line?.stderr, line?.stdout]) {
        expect(text).toMatch(/\.{4000}/);
        expect(text).not.toContain(PROVIDER_KEY.slice(-4));
      }
    },
  );
});

describe("with --error-format json", () => {
  it("stderr is one JSON object per line, and the agent's words stand in the failure, without keys", async () => {
    const box = sandbox();
    const agent = zooAgent("printsPieces", "PROVIDER_KEY", "3");
    const ran = await failing(box, agent, "--error-format", "json", "--retries", "1");
    const [notice, failure, ...rest] = ran.stderr
      .split("\n")
      .map((line) => (line === "" ? null : JSON.parse(line)));
    expect(notice).toEqual({
      notice: expect.stringContaining("exited with 3 as maker; retry 1 of 1 in 0 s"),
    });
    expect(failure).toMatchObject({
      code: "AGENT_FAILED",
      message: expect.stringContaining("the last of 2 attempts"),
      data: { attempts: 2, stderr: "key [redacted:PROVIDER_KEY] end\n" },
    });
    expect(rest).toEqual([null]);
  });
});

describe("a key in config.yaml, where it does not belong", () => {
  it("is not repeated by the message about it", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const providers = { local: { baseUrl: FILE_KEY, apiKeyEnv: null } };
    configure(box, zooAgent("valid"), { providers });
    const ran = await box.uwf(["thread", "step", thread], { env: VARIABLES });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain("error[INVALID_CONFIG]");
    expectClean(ran);
  });
});

describe("a .env that cannot be read", () => {
  it("stops the step: which words are secret is unknown", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    configure(box, zooAgent("valid"));
    box.write(join(box.root, ".env"), new Uint8Array([0xff, 0xfe]));
    const ran = await box.uwf(["thread", "step", thread]);
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain(".env");
  });
});
