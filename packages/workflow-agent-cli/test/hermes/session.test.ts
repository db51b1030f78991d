import { describe, expect, it } from "vitest";
import { captured } from "../../../workflow-agent-hermes/test/helpers.js";
import { parseSession, turnsOf } from "../../src/adapters/hermes.js";
import { usageBetween } from "../../src/trace.js";

describe("an exported session", () => {
  it("gives model, folder, totals with cached tokens, and the messages", () => {
    const session = parseSession(captured("export.jsonl"));
    expect(session).toMatchObject({
      parent: null,
      model: "fake-model",
      cwd: "/home/user/project",
      totals: { input: 219, output: 14, costUsd: null },
    });
    expect(session?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  it("gives one turn per answer of the model, tool calls with their results", () => {
    const result = '{"output": "tool-ran-ok", "exit_code": 0, "error": null}';
    expect(turnsOf(parseSession(captured("export.jsonl"))?.messages ?? [])).toEqual([
      {
        input: "USE_TOOL please",
        output: "",
        toolCalls: [
          {
            name: "terminal",
            arguments: '{"command":"echo tool-ran-ok","description":"demo"}',
            result,
            durationMs: 1,
          },
        ],
        tokens: null,
        latencyMs: 160,
      },
      { input: result, output: "Hello from the fake model.", toolCalls: [], tokens: null, latencyMs: 1 },
    ]);
  });

  it("is none for an unknown id or truncated output", () => {
    expect(parseSession("Session '1' not found.\n")).toBeNull();
    expect(parseSession(captured("export.jsonl").slice(0, 500))).toBeNull();
    expect(parseSession('{"id": "x"}\n')).toBeNull();
  });

  it("drops inactive messages, sorts by id, and parses JSON that the database stores as text", () => {
    const calls = [{ id: "c", function: { name: "t", arguments: { a: 1 } } }];
    const session = parseSession(
      JSON.stringify({
        id: "s",
        messages: [
          {
            id: 3,
            role: "assistant",
            content: [{ type: "text", text: "a" }, { type: "image" }, "b"],
            active: 1,
          },
          { id: 1, role: "user", content: '\0json:[{"type":"text","text":"q"}]', active: 1 },
          { id: 2, role: "assistant", content: null, tool_calls: JSON.stringify(calls), active: true },
          { id: 0, role: "user", content: "old", active: 0 },
          "nonsense",
        ],
        surprise: 1,
      }),
    );
    expect(session?.messages.map(({ id, text }) => [id, text])).toEqual([
      [1, "q"],
      [2, ""],
      [3, "ab"],
    ]);
    expect(session?.messages[1]?.toolCalls).toEqual([{ id: "c", name: "t", arguments: '{"a":1}' }]);
    expect(session?.totals).toBeNull();
  });
});

describe("the usage of one run", () => {
  it("is what the run added to the session's sums", () => {
    const before = { input: 100, output: 10, costUsd: 0.5 };
    expect(usageBetween(before, { input: 150, output: 17, costUsd: 0.75 })).toEqual({
      inputTokens: 50,
      outputTokens: 7,
      totalTokens: 57,
      costUsd: 0.25,
    });
  });

  it("is unknown if one of the sums is", () => {
    const sum = { input: 1, output: 1, costUsd: null };
    expect(usageBetween(null, sum)).toBeNull();
    expect(usageBetween(sum, null)).toBeNull();
    expect(usageBetween({ ...sum, input: 5 }, sum)).toBeNull();
    expect(usageBetween(sum, sum)).toMatchObject({ costUsd: null });
  });
});
