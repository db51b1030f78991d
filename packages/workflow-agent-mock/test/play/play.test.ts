import type { Hash } from "@uncaged/json-cas";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeHost } from "../../../workflow-agent-kit/test/helpers/host.js";
import { expandDetail, readChainNode, runAgent } from "../../../workflow-agent-kit/test/helpers/run.js";
import { mockAgent } from "../../src/index.js";
import { advance, makeThread, REVIEW_META, reply, type TestThread, writeScenario } from "../helpers.js";

let made: TestThread;

beforeEach(async () => {
  made = await makeThread({ reviewer: REVIEW_META, tester: REVIEW_META });
});

afterEach(() => made.remove());

/** Runs the mock in this process, as its binary would. */
async function run(args: readonly string[], role = "reviewer", env: Record<string, string> = {}) {
  const host = makeHost([...args, made.thread, role], made.root, env);
  const seen = { noise: "", stderr: "", slept: 0, exitCode: 0 };
  const stage = {
    cwd: made.root,
    stdout: (text: string) => {
      seen.noise += text;
    },
    stderr: (text: string) => {
      seen.stderr += text;
    },
    sleep: async (ms: number) => {
      seen.slept += ms;
    },
    exitWith: (code: number) => {
      seen.exitCode = code;
    },
  };
  const code = await runAgent({ name: "uwf-mock", ...mockAgent(stage) }, host);
  return { code, ...host.written, ...seen };
}

function detailOf(hash: Hash): unknown {
  const step = readChainNode(made.storage.cas, hash);
  if (!step.ok || step.value.kind !== "step") throw new Error("no step");
  const detail = expandDetail(made.storage.cas, step.value.payload.detail);
  return detail.ok ? detail.value : detail;
}

function outputOf(hash: string): unknown {
  const { cas } = made.storage;
  const step = cas.get(hash.trim() as Hash)?.payload as { readonly output: Hash };
  return cas.get(step.output)?.payload;
}

describe("uwf-mock", () => {
  it("stores the texts that a reply names, and inserts their hashes", async () => {
    made.remove();
    made = await makeThread({
      reviewer: {
        type: "object",
        required: ["phase"],
        properties: { phase: { type: "string", format: "cas_ref" } },
      },
    });
    const entry = { reply: '---\nphase: "{{one}}"\n---\nSee {{one}}, not {{two}}.\n' };
    const file = writeScenario(made, { texts: { one: "Phase one." }, roles: { reviewer: [entry] } });
    const { code, out, err } = await run(["--scenario", file]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const { phase } = outputOf(out) as { readonly phase: Hash };
    expect(made.storage.cas.get(phase)?.payload).toEqual({ text: "Phase one." });
    expect(detailOf(out.trim() as Hash)).toMatchObject({
      raw: { text: expect.stringContaining(`See ${phase}, not {{two}}.`) },
    });
  });

  it("plays the n-th entry on the n-th visit, and repeats the last one", async () => {
    const file = writeScenario(made, {
      roles: { reviewer: [{ reply: reply(false) }, { reply: reply(true) }] },
    });
    const outputs: unknown[] = [];
    let head = made.start;
    for (let visit = 0; visit < 3; visit += 1) {
      const { code, out } = await run(["--scenario", file]);
      expect(code).toBe(0);
      outputs.push(outputOf(out));
      await advance(made, head, out.trim() as Hash);
      head = out.trim() as Hash;
    }
    expect(outputs).toEqual([{ approved: false }, { approved: true }, { approved: true }]);
  });

  it("continues the last visit's session, loses it if the scenario says so, and corrects its header", async () => {
    const usage = { inputTokens: 5, outputTokens: 2, costUsd: 0.5 };
    const file = writeScenario(made, {
      roles: {
        reviewer: [
          { reply: reply(false), sessionId: "s-1", usage },
          { reply: "no header", sessionId: "s-1", continue: ["still none", reply(true)] },
          { reply: reply(true), sessionId: "s-2", sessionLost: true },
        ],
      },
    });
    const details: unknown[] = [];
    const errors: string[] = [];
    let head = made.start;
    for (let visit = 0; visit < 3; visit += 1) {
      const { out, err } = await run(["--scenario", file]);
      const next = out.trim() as Hash;
      details.push(detailOf(next));
      errors.push(err);
      await advance(made, head, next);
      head = next;
    }
    expect(details).toMatchObject([
      { sessionId: "s-1", prompt: { text: "" }, turns: [], usage: { ...usage, totalTokens: 7 } },
      {
        sessionId: "s-1",
        prompt: { text: expect.stringContaining("since your last step") },
        turns: [{ output: { text: "still none" } }, { output: { text: reply(true) } }],
        usage: null,
      },
      { sessionId: "s-2", turns: [{ output: { text: expect.stringContaining("s-1 was not continued") } }] },
    ]);
    expect(errors).toEqual(["", "", expect.stringContaining("has lost session s-1, as the scenario says")]);
  });

  it("takes the scenario from the environment too, relative to the working directory", async () => {
    writeScenario(made, { roles: { reviewer: [{ reply: reply(true) }] } });
    expect((await run([], "reviewer", { UWF_MOCK_SCENARIO: "scenario.json" })).code).toBe(0);
    expect((await run(["--scenario=scenario.json"])).code).toBe(0);
  });

  it("waits, makes noise and chooses its exit code", async () => {
    const entry = { reply: reply(true), delayMs: 7, exitCode: 3, stdoutNoise: "noise", stderr: "hm" };
    const file = writeScenario(made, { roles: { reviewer: [entry] } });
    const result = await run(["--scenario", file]);
    expect(result).toMatchObject({ code: 0, noise: "noise\n", stderr: "hm\n", slept: 7, exitCode: 3 });
    expect(result.out).not.toBe("");
  });

  it("fails without a reply", async () => {
    const file = writeScenario(made, { roles: { reviewer: [{ exitCode: 9 }] } });
    const result = await run(["--scenario", file]);
    expect(result).toMatchObject({ code: 6, out: "", exitCode: 9 });
    expect(result.err).toContain("agent uwf-mock exited with 9, as the scenario says, as reviewer");
  });

  it("fails with a sentence when the scenario expects another role", async () => {
    const roles = { reviewer: [{ reply: reply(true) }], tester: [{ reply: reply(true) }] };
    const file = writeScenario(made, { roles, expect: ["tester"] });
    const wrong = await run(["--scenario", file]);
    expect(wrong.code).toBe(4);
    expect(wrong.err).toContain("it expects tester as step 1, but the role of step 1 is reviewer");
    const { out } = await run(["--scenario", file], "tester");
    await advance(made, made.start, out.trim() as Hash);
    expect((await run(["--scenario", file])).err).toContain("it expects no step after step 1");
  });

  const mistakes: readonly (readonly [string, readonly string[], number, string])[] = [
    ["no scenario", [], 2, "no scenario is named"],
    ["an unknown argument", ["--scenery", "x"], 2, "unknown argument --scenery"],
    ["an option without its file", ["--scenario"], 2, "--scenario needs a file"],
    ["a file that does not exist", ["--scenario", "none.yaml"], 3, "none.yaml: ENOENT"],
  ];

  for (const [name, args, code, words] of mistakes) {
    it(`refuses ${name}`, async () => {
      const result = await run(args);
      expect(result).toMatchObject({ code, out: "" });
      expect(result.err).toContain(words);
    });
  }

  it("refuses a scenario with mistakes, naming all of them", async () => {
    const file = writeScenario(made, { roles: { reviewer: [{ replay: "x" }, {}] } });
    const { code, err } = await run(["--scenario", file]);
    expect(code).toBe(4);
    expect(err).toContain("unknown key replay");
    expect(err).toContain("entry 2 of reviewer needs a reply");
  });

  it("refuses a role that the scenario does not have", async () => {
    const file = writeScenario(made, { roles: { tester: [{ reply: reply(true) }] } });
    expect((await run(["--scenario", file])).err).toContain("it has no role reviewer; its roles are tester");
  });
});
