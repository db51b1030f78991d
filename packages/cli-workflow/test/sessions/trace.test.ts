import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";
import { traced } from "./support.js";

let box: Sandbox;
let thread: string;
let head: string;

beforeAll(async () => {
  box = sandbox();
  thread = await startTurns(box);
  ({ head } = await box.json(["thread", "step", thread, "--agent", traced("works")]));
  await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
});

const TURNS = [
  {
    input: { text: "What is there?" },
    output: { text: "Looking." },
    toolCalls: [
      {
        name: "shell",
        arguments: { text: '{"command":"ls"}' },
        result: { text: "README.md\n```\n" },
        durationMs: 12,
      },
    ],
    tokens: { input: 40, output: 5 },
    latencyMs: 1500,
  },
  { input: { text: "README.md" }, toolCalls: [], tokens: null, latencyMs: null },
];

describe("the trace of an unknown agent", () => {
  it("is shown by step-details with every text in place", async () => {
    const details = await box.json(["thread", "step-details", head, "--format", "json"]);
    expect(details).toMatchObject({
      agent: "uwf-traced",
      prompt: { text: expect.stringContaining("Do it") },
      turns: TURNS,
    });
  });

  it("is shown by read --detail: session, usage, prompt, turns and tool calls", async () => {
    const { stdout } = await box.uwf(["thread", "read", thread, "--detail", "--quota", "100000"]);
    for (const part of [
      "### Inside the step\n\n- session s-1\n",
      "- model fake-model\n- 100 tokens in, 20 out, 120 in all, $0.1\n",
      "#### Prompt\n\n    # Deliverable format",
      "#### Turn 1 (40 tokens in, 5 out, 1.5 s)\n\nInput:\n\n    What is there?\n",
      'Tool call `shell` (12 ms):\n\n    {"command":"ls"}\n\nResult:\n\n    README.md\n    ```\n',
      "#### Turn 2\n\nInput:\n\n    README.md\n\nOutput:\n\n    There is a readme.\n",
    ]) {
      expect(stdout).toContain(part);
    }
    expect(stdout.match(/### Inside the step/g)).toHaveLength(1);
    const plain = await box.uwf(["thread", "read", thread, "--quota", "100000"]);
    expect(plain.stdout).not.toContain("Inside the step");
  });

  it("is a part of every step where read --detail prints a document", async () => {
    const { stdout } = await box.uwf([
      "thread",
      "read",
      thread,
      "--detail",
      "--format",
      "yaml",
      "--quota",
      "100000",
    ]);
    expect(parse(stdout).steps).toMatchObject([
      { role: "maker", detail: { sessionId: "s-1", turns: TURNS } },
      { role: "checker", detail: { text: expect.any(String) } },
    ]);
  });
});
