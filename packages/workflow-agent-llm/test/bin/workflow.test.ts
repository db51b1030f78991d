import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Hash } from "@uncaged/json-cas";
import { openStorage } from "@uncaged/workflow-store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Doc, type Sandbox, sandbox } from "../../../cli-workflow/test/support/uwf.js";
import { calls, type FakeLlm, fails, says, startLlm } from "../helpers/fake-llm.js";
import { configure, KEY } from "../helpers/run.js";

const REACT = join(import.meta.dirname, "../../bin/uwf-react");
const EXEC = join(import.meta.dirname, "../../../workflow-agent-exec/bin/uwf-exec");

const WORKFLOW = `name: repair
description: A model repairs, a command tests.
roles:
  developer:
    description: Repairs the code
    goal: Tests that pass
    capabilities: [coding]
    procedure: Read the test's output, repair the code.
    output: What was done, in the field \`done\`.
    meta:
      type: object
      required: [done]
      properties: { done: { type: string } }
  tester:
    description: Runs the tests
    goal: A fact
    capabilities: [testing]
    procedure: Run the tests.
    output: Exit code and output.
    meta:
      type: object
      required: [ok, exitCode]
      properties: { ok: { type: boolean }, exitCode: { type: integer }, output: { type: string } }
conditions:
  broken:
    description: The tests failed
    expression: steps[-1].output.exitCode != 0
graph:
  $START: [{ role: tester, condition: null }]
  tester:
    - { role: developer, condition: broken }
    - { role: $END, condition: null }
  developer: [{ role: tester, condition: null }]
`;

const claims = (done: string): string => `---\ndone: ${done}\n---\n${done}, I am sure.`;

/** The first repair is claimed and not done, the second is interrupted by a 500, and done. */
const MOVES = [
  calls(["read_file", { path: "add.mjs" }]),
  says(claims("repaired it")),
  calls(["patch_file", { path: "add.mjs", old: "a - b", new: "a + b" }]),
  fails(500, { message: "down" }, { "retry-after": "0" }),
  calls(["shell_exec", { command: "node test.mjs && echo passes" }]),
  says(claims("really repaired it")),
];

let box: Sandbox;
let llm: FakeLlm;
let thread: string;
let steps: Doc["steps"];

beforeAll(async () => {
  box = sandbox();
  llm = await startLlm(MOVES);
  box.write("add.mjs", "export const add = (a, b) => a - b;\n");
  box.write(
    "test.mjs",
    'import { add } from "./add.mjs";\nif (add(2, 3) !== 5) throw new Error("2 + 3 is " + add(2, 3));\n',
  );
  await box.json(["workflow", "put", box.write("repair.yaml", WORKFLOW)]);
  configure(
    box.root,
    llm.baseUrl,
    `defaultModel: small
agents:
  react: { command: ${JSON.stringify(REACT)}, args: ["--max-rounds", "9"], idleSeconds: 50 }
  tests: { command: ${JSON.stringify(EXEC)}, args: ["--", ${JSON.stringify(process.execPath)}, "test.mjs"] }
defaultAgent: react
agentOverrides: { repair: { tester: tests } }
`,
  );
  ({ thread } = await box.json(["thread", "start", "repair", "-p", "Make the tests pass."]));
  await box.json(["thread", "run", thread, "--max-steps", "9"]);
  ({ steps } = await box.json(["thread", "steps", thread]));
});

afterAll(() => llm.close());

describe("a workflow in which a model repairs and a command tests", () => {
  it("routes on what the tests say, not on what the model says", () => {
    expect(steps.slice(1).map(({ role, output }) => [role, output.exitCode ?? output.done])).toEqual([
      ["tester", 1],
      ["developer", "repaired it"],
      ["tester", 1],
      ["developer", "really repaired it"],
      ["tester", 0],
    ]);
  });

  it("continues the developer's session in another process, and sends only what happened since", () => {
    const first = llm.requests[1]?.body.messages ?? [];
    const again = llm.requests[2]?.body.messages ?? [];
    expect(again.slice(0, 2)).toEqual(first.slice(0, 2));
    expect(again.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user",
    ]);
    expect(again.at(-1)?.content).toContain("2 + 3 is -1");
    expect(llm.requests.at(-1)?.body.messages.at(-1)?.content).toBe("exit code 0\npasses");
  });

  it("leads from every step to prompts, answers and results of tools", async () => {
    const expected: readonly (readonly string[])[] = [
      ["Make the tests pass.", "2 + 3 is -1"],
      ["a - b", claims("repaired it"), '{"path":"add.mjs"}'],
      ["2 + 3 is -1"],
      ["Replaced it once in add.mjs.", "exit code 0\npasses", claims("really repaired it")],
      [claims("really repaired it"), '"exitCode":0'],
    ];
    for (const [index, { hash }] of steps.slice(1).entries()) {
      const { hashes } = await box.json(["cas", "walk", hash]);
      const payloads = payloadsOf(hashes);
      for (const text of expected[index] ?? [])
        expect(
          payloads.some((one) => one.includes(text)),
          text,
        ).toBe(true);
    }
  });

  it("reports tokens per step, and null if unknown", async () => {
    const details = await box.json<{ readonly usage: unknown }>([
      "thread",
      "step-details",
      steps[4]?.hash ?? "",
      "--format",
      "json",
    ]);
    expect(details.usage).toEqual({ inputTokens: 30, outputTokens: 9, totalTokens: 39, costUsd: null });
  });

  it("has the key in no file of the storage root but .env, and in no request's body", async () => {
    const { stdout } = await box.uwf(["thread", "read", thread, "--quota", "100000"]);
    expect(stdout).not.toContain(KEY);
    expect(llm.requests.every(({ authorization }) => authorization === `Bearer ${KEY}`)).toBe(true);
    expect(llm.requests.map(({ text }) => text).join()).not.toContain(KEY);
    const holding = filesBelow(box.root).filter((file) => readFileSync(file).includes(KEY));
    expect(holding).toEqual([join(box.root, ".env")]);
  });
});

/** Texts, and other payloads as JSON. */
function payloadsOf(hashes: readonly string[]): readonly string[] {
  const { cas } = openStorage(box.root, { now: Date.now });
  return hashes.map((hash) => {
    const payload = cas.get(hash as Hash)?.payload as { readonly text?: string } | undefined;
    return payload?.text ?? JSON.stringify(payload);
  });
}

function filesBelow(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
