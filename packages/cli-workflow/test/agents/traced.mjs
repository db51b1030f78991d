#!/usr/bin/env node
// @ts-nocheck: agents are plain JavaScript, as an author without TypeScript would write them.
// Agents built on the kit that tell their session: `traced.mjs <behaviour> [args…] <thread-id> <role>`.
import { writeFileSync } from "node:fs";
import { createAgent } from "@uncaged/workflow-agent-kit";

const [behaviour, ...args] = process.argv.slice(2, -2);

const usage = (inputTokens, costUsd) => ({
  inputTokens,
  outputTokens: 20,
  totalTokens: inputTokens + 20,
  costUsd,
});

const outOfCredit = (role) => ({
  code: "AGENT_FAILED",
  command: "x",
  role,
  outcome: "is out of credit",
  stderr: "",
});

const BEHAVIOURS = {
  /** Cannot go on before what its argument says. */
  holds: () => ({ kind: "waiting", ...JSON.parse(args[0] ?? "{}") }),
  /** A reply with two turns, the first of them with a tool call. */
  works: ({ role, prompt }) => ({
    kind: "text",
    text: `---\n${role === "maker" ? "text: made" : "approved: true"}\n---\nDone after ${prompt.length > 0 ? "reading" : ""}.`,
    session: {
      sessionId: "s-1",
      model: "fake-model",
      turns: [
        {
          input: "What is there?",
          output: "Looking.",
          toolCalls: [
            { name: "shell", arguments: '{"command":"ls"}', result: "README.md\n```\n", durationMs: 12 },
          ],
          tokens: { input: 40, output: 5 },
          latencyMs: 1500,
        },
        {
          input: "README.md",
          output: "There is a readme.",
          toolCalls: [],
          tokens: null,
          latencyMs: null,
        },
      ],
      usage: usage(100, 0.1),
    },
  }),
  fails: ({ role }) => ({
    kind: "failed",
    fault: outOfCredit(role),
    session: { sessionId: "s-0", usage: usage(50, 0.2) },
  }),
  /** Nothing of the kit is asked any more. */
  dies: ({ report }) => {
    report({ sessionId: "s-2", usage: usage(90, 0.3) });
    process.kill(process.pid, "SIGKILL");
    return new Promise(() => setInterval(() => {}, 1000));
  },
  /** Its reply has no header, so that no step comes of what it cost. */
  rambles: () => ({ kind: "text", text: "I would say yes.", session: { usage: usage(30, null) } }),
  /** Works until it is told to end. */
  waits: ({ role, signal }) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () =>
        resolve({ kind: "failed", fault: outOfCredit(role), session: { usage: usage(70, null) } }),
      );
      setInterval(() => {}, 1000);
      writeFileSync(args[0], "");
    }),
};

await createAgent({ name: "uwf-traced", run: BEHAVIOURS[behaviour] })();
