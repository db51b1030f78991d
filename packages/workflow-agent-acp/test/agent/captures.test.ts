import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { acpAgent } from "../../src/index.js";
import { makeAgent, makeThread, REVIEW_META, type TestThread, TIMES } from "../helpers.js";

// Three agents as they were heard: what they said after each request of ours, in their own bytes. Long lines were cut
// when they were written down; the cut answer to session/new is given whole, the others stay as they are.

let made: TestThread;

beforeEach(async () => {
  made = await makeThread({ reviewer: REVIEW_META });
});

afterEach(() => made.remove());

/** What the agent said after each of our requests. */
function captured(name: string): {
  readonly sessionId: string;
  readonly said: readonly (readonly string[])[];
} {
  const lines = readFileSync(join(import.meta.dirname, "../fixtures", `${name}.txt`), "utf8").split("\n");
  const { sid } = JSON.parse(lines.find((line) => line.startsWith("RESULT "))?.slice(7) ?? "{}");
  const said: string[][] = [];
  for (const line of lines) {
    if (line.startsWith(">> ")) said.push([]);
    if (line.startsWith("<< ")) said.at(-1)?.push(line.slice(3));
  }
  said[1] = [JSON.stringify({ jsonrpc: "2.0", id: 2, result: { sessionId: sid } })];
  return { sessionId: sid, said };
}

async function replay(name: string) {
  const { sessionId, said } = captured(name);
  const body = `
    const said = ${JSON.stringify(said)};
    for (const method of Object.keys(on)) on[method] = () => { for (const line of said.shift() ?? []) say(line); };`;
  const { command, methods } = makeAgent(made.root, body);
  const agent = acpAgent({ cwd: made.root, now: Date.now, stderr: () => {}, version: "0", times: TIMES });
  const context = {
    prompt: "USE_TOOL please",
    role: "reviewer",
    args: ["--", command],
    env: { PATH: process.env.PATH },
    signal: new AbortController().signal,
    heartbeat: () => {},
    report: () => {},
  };
  const reply = await agent.run(context as never);
  return { reply, sessionId, methods };
}

const ANSWER = "Hello from the fake model.";

type Expected = {
  readonly name: string;
  readonly turns: readonly {
    readonly input: string;
    readonly output: string;
    readonly toolCalls: readonly object[];
  }[];
  readonly lastTokens: object | null;
  readonly usage: object | null;
};

const TABLE: readonly Expected[] = [
  {
    name: "claude",
    turns: [
      {
        input: "USE_TOOL please",
        output: "",
        toolCalls: [
          {
            name: "Bash",
            arguments: '{"command":"echo tool-ran-ok","description":"demo"}',
            result: "tool-ran-ok",
            durationMs: expect.any(Number),
          },
        ],
      },
      { input: "tool-ran-ok", output: ANSWER, toolCalls: [] },
    ],
    lastTokens: null,
    // 205 that were not cached, 10 that were.
    usage: { inputTokens: 215, outputTokens: 14, totalTokens: 229, costUsd: 0.0013800000000000002 },
  },
  {
    name: "codex",
    // The adapter's warning is a message of its own, and not the answer.
    turns: [
      { input: "USE_TOOL please", output: expect.stringMatching(/^Model metadata for /), toolCalls: [] },
      { input: "", output: ANSWER, toolCalls: [] },
    ],
    lastTokens: null,
    usage: null,
  },
  {
    name: "opencode",
    turns: [
      {
        input: "USE_TOOL please",
        output: "",
        toolCalls: [
          {
            name: "bash",
            arguments: '{"command":"echo tool-ran-ok","description":"demo","cwd":"/home/user/project"}',
            result: "tool-ran-ok\n",
            durationMs: expect.any(Number),
          },
        ],
      },
      { input: "tool-ran-ok\n", output: ANSWER, toolCalls: [] },
    ],
    // It tells what its last call of the model has used: of both it is not known.
    lastTokens: { input: 103, output: 7 },
    usage: null,
  },
];

describe("a captured agent", () => {
  it.each(TABLE)(
    "gives its text, session, turns, tool calls and usage: $name",
    async ({ name, turns, lastTokens, usage }) => {
      const { reply, sessionId, methods } = await replay(name);
      expect(methods()).toEqual(["initialize", "session/new", "session/prompt"]);
      expect(reply).toMatchObject({ kind: "text", text: ANSWER });
      const wanted = turns.map((turn, index) => ({
        ...turn,
        tokens: index === turns.length - 1 ? lastTokens : null,
        latencyMs: null,
      }));
      expect(reply.kind === "text" && "session" in reply && reply.session).toEqual({
        sessionId,
        cwd: made.root,
        model: null,
        turns: wanted,
        usage,
      });
    },
  );
});
