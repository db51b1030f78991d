import { describe, expect, it } from "vitest";
import type { Fields } from "../../src/connection.js";
import { createTrace, usageOf } from "../../src/trace.js";

function traceOf(...updates: readonly Fields[]) {
  let now = 0;
  const trace = createTrace("prompt", () => {
    now += 10;
    return now;
  });
  for (const update of updates) trace.update(update);
  return trace;
}

const said = (text: string, messageId: string | null = null): Fields => ({
  sessionUpdate: "agent_message_chunk",
  ...(messageId === null ? {} : { messageId }),
  content: { type: "text", text },
});

const tool = (toolCallId: string, more: Fields = {}): Fields => ({
  sessionUpdate: "tool_call",
  toolCallId,
  ...more,
});

const done = (toolCallId: string, more: Fields = {}): Fields => ({
  sessionUpdate: "tool_call_update",
  toolCallId,
  status: "completed",
  ...more,
});

describe("the text of a trace", () => {
  it("is the last message with text, by its id", () => {
    expect(traceOf(said("a", "1"), said("b", "2"), said("c", "2"), said(" \n", "3")).text()).toBe("bc");
  });

  it("without ids is what came after a tool call or a token count", () => {
    expect(traceOf(said("I "), said("look"), tool("t"), done("t"), said("It "), said("is.")).text()).toBe(
      "It is.",
    );
    expect(traceOf(said("Warning"), { sessionUpdate: "usage_update", used: 1 }, said("Answer")).text()).toBe(
      "Answer",
    );
  });

  it("is not split by other updates", () => {
    const beside = { sessionUpdate: "available_commands_update", availableCommands: [] };
    const thought = { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } };
    expect(traceOf(said("one "), beside, thought, said("two")).text()).toBe("one two");
  });

  it("names content without text", () => {
    const image = { sessionUpdate: "agent_message_chunk", content: { type: "image", data: "…" } };
    const link = {
      sessionUpdate: "agent_message_chunk",
      content: { type: "resource_link", uri: "file:///a" },
    };
    expect(traceOf(said("See "), image, link, { sessionUpdate: "agent_message_chunk" }).text()).toBe(
      "See [image]file:///a[something]",
    );
  });
});

describe("the turns of a trace", () => {
  it("end where a model that has its results continues", () => {
    const turns = traceOf(
      said("both"),
      tool("1", { title: "x" }),
      tool("2", { title: "y" }),
      done("1", { rawOutput: "one" }),
      done("2", { rawOutput: "two" }),
      tool("3", { title: "z" }),
      done("3", { content: [{ type: "content", content: { type: "text", text: "three" } }] }),
      said("end"),
    ).turns();
    expect(
      turns.map(({ input, output, toolCalls }) => [input, output, toolCalls.map(({ name }) => name)]),
    ).toEqual([
      ["prompt", "both", ["x", "y"]],
      ["one\n\ntwo", "", ["z"]],
      ["three", "end", []],
    ]);
  });

  it("are none if there are no updates", () => {
    expect(traceOf().turns()).toEqual([]);
    expect(traceOf({}, { sessionUpdate: "tool_call" }, { sessionUpdate: 5 }).turns()).toEqual([]);
  });
});

describe("a tool call", () => {
  const callOf = (...updates: readonly Fields[]) => traceOf(...updates).turns()[0]?.toolCalls[0];

  it("keeps fields that later updates omit, and lasts from the first update to the last", () => {
    const call = callOf(
      tool("1", { title: "bash", kind: "execute", rawInput: { command: "ls" } }),
      {
        sessionUpdate: "tool_call_update",
        toolCallId: "1",
        title: "ls",
        rawInput: {},
        status: "in_progress",
      },
      done("1", { rawOutput: { output: "a\n", exit: 0 } }),
    );
    expect(call).toEqual({ name: "bash", arguments: '{"command":"ls"}', result: "a\n", durationMs: 20 });
  });

  it("that is still running has no duration, and the agent counts as busy", () => {
    const trace = traceOf(tool("1", { title: "Reading a file", kind: "read" }));
    expect(trace.busy()).toBe(true);
    expect(trace.turns()[0]?.toolCalls).toEqual([
      { name: "read", arguments: "Reading a file", result: "", durationMs: null },
    ]);
  });

  it("that was never reported as finished does not count as running once the agent speaks again", () => {
    expect(traceOf(tool("1"), said("It is done.")).busy()).toBe(false);
  });

  it("may have the id of an earlier finished one", () => {
    const turns = traceOf(
      tool("1"),
      done("1", { rawOutput: "a" }),
      tool("1"),
      done("1", { rawOutput: "b" }),
    ).turns();
    expect(turns.map(({ toolCalls }) => toolCalls.map(({ result }) => result))).toEqual([["a"], ["b"]]);
  });

  it("counts what is kept, not what was repeated", () => {
    const rawInput = { command: "make" };
    const grown = (text: string) => ({
      sessionUpdate: "tool_call_update",
      toolCallId: "1",
      rawInput,
      rawOutput: text,
    });
    const updates = Array.from({ length: 100 }, (_, n) => grown("x".repeat(n)));
    const once = traceOf(tool("1", { rawInput }), updates.at(-1) ?? {});
    const often = traceOf(tool("1", { rawInput }), ...updates);
    expect(often.size()).toBe(once.size());
    expect(often.toolCall("1")?.inputs).toEqual([rawInput]);
  });

  it("shows a diff as one", () => {
    const content = [{ type: "diff", path: "a.ts", oldText: "x\ny", newText: "z" }];
    expect(callOf(tool("1", { title: "edit", content }), done("1"))?.result).toBe("a.ts\n-x\n-y\n+z\n");
  });

  it("may be reported only when it is finished", () => {
    expect(callOf(done("1", { kind: "fetch", rawOutput: { status: 200 } }))).toMatchObject({
      name: "fetch",
      result: '{"status":200}',
    });
  });
});

describe("usage", () => {
  const usage = (told: Fields) => usageOf(told, null);

  it.each([
    [
      "cached tokens beside the input",
      { inputTokens: 98, outputTokens: 7, totalTokens: 110, cachedReadTokens: 5 },
      [103, 7, 110],
    ],
    [
      "cached tokens in the input",
      { inputTokens: 100, outputTokens: 7, totalTokens: 107, cachedReadTokens: 5 },
      [100, 7, 107],
    ],
    [
      "no total",
      { inputTokens: 10, outputTokens: 7, cachedReadTokens: 3, cachedWriteTokens: 2, thoughtTokens: 1 },
      [15, 8, 23],
    ],
    [
      "thoughts beside the output",
      { inputTokens: 10, outputTokens: 7, totalTokens: 19, thoughtTokens: 2 },
      [10, 9, 19],
    ],
    [
      "thoughts beside, cached in",
      { inputTokens: 10, outputTokens: 7, totalTokens: 19, thoughtTokens: 2, cachedReadTokens: 4 },
      [10, 9, 19],
    ],
  ])("is counted alike for every agent: %s", (_, told, [inputTokens, outputTokens, totalTokens]) => {
    expect(usage(told)).toEqual({ inputTokens, outputTokens, totalTokens, costUsd: null });
  });

  it.each([undefined, null, {}, { inputTokens: 5 }, { inputTokens: "5", outputTokens: 1 }, []])(
    "that is not told is null: %j",
    (told) => expect(usageOf(told, 1)).toBeNull(),
  );

  it("counts a cost in dollars only", () => {
    const cost = (currency: string): Fields => ({
      sessionUpdate: "usage_update",
      cost: { amount: 2, currency },
    });
    expect(traceOf(cost("USD"), { sessionUpdate: "usage_update" }).costUsd()).toBe(2);
    expect(traceOf(cost("EUR")).costUsd()).toBeNull();
  });
});
