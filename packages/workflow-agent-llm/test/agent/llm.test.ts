import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { calls, chunk, event, fails, type Move, says, USAGE } from "../helpers/fake-llm.js";
import { type Bench, bench, GOOD, KEY, stepOf } from "../helpers/run.js";

let at: Bench;

beforeEach(async () => {
  at = await bench();
});

afterEach(() => at.remove());

describe("uwf-llm", () => {
  it("asks the model once, streaming, with the unchanged prompt", async () => {
    const ran = await at.run("llm", [says(GOOD)]);
    const { output, detail } = stepOf(at, ran);
    expect(output).toEqual({ approved: true });
    expect(ran.requests).toHaveLength(1);
    expect(ran.requests[0]).toMatchObject({
      path: "/v1/chat/completions",
      authorization: `Bearer ${KEY}`,
      body: { model: "small-1", stream: true, stream_options: { include_usage: true } },
    });
    expect(ran.requests[0]?.body.messages).toEqual([{ role: "user", content: detail.prompt.text }]);
    expect(ran.requests[0]?.body.tools).toBeUndefined();
  });

  it("keeps session, turn and usage", async () => {
    const { detail } = stepOf(at, await at.run("llm", [says(GOOD)]));
    expect(detail).toMatchObject({
      agent: "uwf-llm",
      sessionId: "session-1",
      cwd: at.cwd,
      model: "small-1",
      raw: { text: GOOD },
      turns: [{ output: { text: GOOD }, toolCalls: [], tokens: { input: 10, output: 3 } }],
      usage: { inputTokens: 10, outputTokens: 3, totalTokens: 13, costUsd: null },
    });
    expect(detail.turns[0]?.input).toEqual(detail.prompt);
  });

  it("asks in the same conversation for a header that was not valid", async () => {
    const ran = await at.run("llm", [says("I approve."), says(GOOD)]);
    const { detail } = stepOf(at, ran);
    const [prompt, answer, repair] = ran.requests[1]?.body.messages ?? [];
    expect(prompt).toEqual(ran.requests[0]?.body.messages[0]);
    expect(answer).toEqual({ role: "assistant", content: "I approve." });
    expect(repair?.content).toContain("the reply has no frontmatter");
    expect(detail.turns).toHaveLength(2);
    expect(detail).toMatchObject({ sessionId: "session-1", usage: { inputTokens: 20, outputTokens: 6 } });
  });

  it("uses the model of --model, else the role's, else the workflow's, else the default one", async () => {
    const modelOf = async (args: readonly string[], config: string): Promise<string | undefined> =>
      (await at.run("llm", [says(GOOD)], { args, config })).requests[0]?.body.model;
    expect(await modelOf(["--model", "big"], "defaultModel: small\n")).toBe("big-1");
    expect(
      await modelOf([], "defaultModel: small\nmodelOverrides: { solve-issue: small, reviewer: big }\n"),
    ).toBe("big-1");
    expect(await modelOf([], "defaultModel: small\nmodelOverrides: { solve-issue: big }\n")).toBe("big-1");
    expect(await modelOf([], "defaultModel: small\n")).toBe("small-1");
  });

  it("passes extra members on", async () => {
    const args = ["--param", "max_tokens=99", "--param", "reasoning_effort=low"];
    const ran = await at.run("llm", [says(GOOD)], { args });
    expect(ran.requests[0]?.body).toMatchObject({ max_tokens: 99, reasoning_effort: "low" });
  });

  it("names missing configuration before any request", async () => {
    const missing = await at.run("llm", [says(GOOD)], { args: ["--model", "huge"] });
    expect(missing).toMatchObject({ code: 4, requests: [], err: expect.stringContaining("no model huge") });
    const usage = await at.run("llm", [says(GOOD)], { args: ["--max-rounds", "3"] });
    expect(usage).toMatchObject({ code: 2, requests: [], err: expect.stringContaining("--max-rounds") });
  });

  it("replies without the thoughts before the answer, and keeps them in the trace", async () => {
    const { output, detail } = stepOf(
      at,
      await at.run("llm", [says(`<think>---\napproved: false\n---</think>\n\n${GOOD}`)]),
    );
    expect(output).toEqual({ approved: true });
    expect(detail.raw.text).toBe(GOOD);
    expect(detail.turns[0]?.output.text).toContain("<think>");
  });
});

const text = (value: string): Move => ({ type: "text/plain", pieces: [value] });
const json = (value: unknown): Move => ({ type: "application/json", pieces: [JSON.stringify(value)] });
const half = (value: string, at: number): readonly Uint8Array[] => {
  const bytes = Buffer.from(value);
  return [bytes.subarray(0, at), bytes.subarray(at)];
};
const accented = `---\napproved: true\ncomments: "café ✓ 🎉"\n---\nFine.`;
const bytewise = [...Buffer.from(chunk({ content: accented }) + chunk({}, "stop") + event("[DONE]"))].map(
  (byte) => Uint8Array.of(byte),
);

const tolerated: readonly (readonly [string, Move])[] = [
  [
    "comments and keep-alives",
    {
      pieces: [
        ": OPENROUTER PROCESSING\n\n",
        ":\n\n",
        chunk({ content: GOOD }),
        ": ping\n\n",
        chunk({}, "stop"),
        event("[DONE]"),
      ],
    },
  ],
  ["CRLF", { pieces: [chunk({ content: GOOD }, "stop").replaceAll("\n", "\r\n"), "data: [DONE]\r\n\r\n"] }],
  ["CR alone", { pieces: [chunk({ content: GOOD }, "stop").replaceAll("\n", "\r"), "data: [DONE]\r\r"] }],
  [
    "no space behind data:",
    { pieces: [chunk({ content: GOOD }, "stop").replace("data: ", "data:"), "data:[DONE]\n\n"] },
  ],
  [
    "no empty lines between events",
    { pieces: [chunk({ content: GOOD }).trimEnd(), "\n", chunk({}, "stop").trimEnd(), "\ndata: [DONE]\n"] },
  ],
  [
    "an event over several data lines",
    {
      pieces: [
        `data: {"choices":\ndata: [{"delta": {"content": ${JSON.stringify(GOOD)}},\ndata: "finish_reason": "stop"}]}\n\n`,
      ],
    },
  ],
  ["no [DONE]", { pieces: [chunk({ content: GOOD }), chunk({}, "stop")] }],
  ["no [DONE] and no last line end", { pieces: [chunk({ content: GOOD }), chunk({}, "stop").trimEnd()] }],
  ["no finish_reason", { pieces: [chunk({ content: GOOD }), event("[DONE]")] }],
  [
    "a connection that stays open after [DONE]",
    { pieces: [chunk({ content: GOOD }, "stop"), event("[DONE]")], after: "hang" },
  ],
  [
    "a connection that breaks after the last word",
    { pieces: [chunk({ content: GOOD }, "stop")], after: "drop" },
  ],
  ["a byte order mark", { pieces: ["\ufeff", chunk({ content: GOOD }, "stop")] }],
  ["another content type", { type: "application/octet-stream", pieces: says(GOOD).pieces }],
  [
    "JSON where a stream was asked for",
    json({ choices: [{ message: { role: "assistant", content: GOOD }, finish_reason: "stop" }] }),
  ],
  [
    "JSON that is called a stream",
    { pieces: [JSON.stringify({ choices: [{ message: { content: GOOD } }] })] },
  ],
  [
    "a message instead of deltas",
    {
      pieces: [event({ choices: [{ message: { content: GOOD }, finish_reason: "stop" }] }), event("[DONE]")],
    },
  ],
  ["content as a list of parts", { pieces: [chunk({ content: [{ type: "text", text: GOOD }] }, "stop")] }],
  [
    "other choices besides",
    {
      pieces: [event({ choices: [{ index: 1, delta: { content: "x" } }] }), chunk({ content: GOOD }, "stop")],
    },
  ],
  [
    "unknown events and null members",
    {
      pieces: [
        event({ hello: 1 }),
        event("null"),
        event({ choices: null, error: null, usage: null }),
        chunk({ content: null, tool_calls: null, refusal: null }),
        chunk({ content: GOOD }, "stop"),
      ],
    },
  ],
];

describe("a stream", () => {
  it.each(tolerated)("may have %s", async (_name, move) => {
    const ran = await at.run("llm", [move]);
    const { output, detail } = stepOf(at, ran);
    expect(output).toEqual({ approved: true });
    expect(detail.raw.text).toBe(GOOD);
    expect(ran.requests).toHaveLength(1);
  });

  it("may be split anywhere, even within characters", async () => {
    const { output } = stepOf(at, await at.run("llm", [{ pieces: bytewise }]));
    expect(output).toEqual({ approved: true, comments: "café ✓ 🎉" });
    const split = {
      pieces: half(chunk({ content: accented }, "stop"), chunk({ content: accented }).indexOf("é") + 1),
    };
    expect(stepOf(at, await at.run("llm", [split])).output).toMatchObject({ comments: "café ✓ 🎉" });
  });

  it("may report usage once, on every chunk, elsewhere, or not at all", async () => {
    const usageOf = async (pieces: readonly string[]): Promise<unknown> =>
      stepOf(at, await at.run("llm", [{ pieces }])).detail.usage;
    const sums = { inputTokens: 10, outputTokens: 3, totalTokens: 13, costUsd: null };
    const early = { usage: { prompt_tokens: 10, completion_tokens: 1 } };
    expect(
      await usageOf([chunk({ content: GOOD }, null, early), chunk({}, "stop", { usage: USAGE })]),
    ).toEqual(sums);
    expect(await usageOf([chunk({ content: GOOD }, "stop", { x_groq: { usage: USAGE } })])).toEqual(sums);
    expect(
      await usageOf([
        event({ choices: [{ delta: { content: GOOD }, finish_reason: "stop", usage: USAGE }] }),
      ]),
    ).toEqual(sums);
    expect(await usageOf([chunk({ content: GOOD }, "stop", { usage: { ...USAGE, cost: 0.25 } })])).toEqual({
      ...sums,
      costUsd: 0.25,
    });
    expect(await usageOf([chunk({ content: GOOD }, "stop")])).toBeNull();
  });
});

const now = { "retry-after": "0" };
const repeated: readonly (readonly [string, Move])[] = [
  ["429", fails(429, { message: "slow down" }, now)],
  ["500", { ...text(""), status: 500, headers: now }],
  ["a web page with 502", { ...text("<html>"), status: 502, headers: now }],
  [
    "an error in the stream",
    {
      pieces: [chunk({ content: "half" }), event({ error: { code: 503, message: "overloaded" } })],
      headers: now,
    },
  ],
  ["an error event", { pieces: [`event: error\n${event({ message: "overloaded" })}`], headers: now }],
  [
    "an error in a choice",
    {
      pieces: [event({ choices: [{ error: { code: 502, message: "upstream" }, finish_reason: "error" }] })],
      headers: now,
    },
  ],
  ["finish_reason error", { pieces: [chunk({ content: "half" }, "error"), event("[DONE]")], headers: now }],
  ["a stream that ends without its end", { pieces: [chunk({ content: GOOD })], headers: now }],
  ["a stream that is no JSON", { pieces: [event("{oops")], headers: now }],
];

describe("a temporary failure", () => {
  it.each(repeated)("is retried: %s", async (_name, move) => {
    const ran = await at.run("llm", [move, says(GOOD)]);
    expect(stepOf(at, ran).output).toEqual({ approved: true });
    expect(ran.requests).toHaveLength(2);
  });

  it("leaves the usage unknown if an answer had begun", async () => {
    const begun: Move = { pieces: [chunk({ content: "half" })], headers: now };
    expect(stepOf(at, await at.run("llm", [begun, says(GOOD)])).detail.usage).toBeNull();
    const refused = fails(429, { message: "slow down" }, now);
    expect(stepOf(at, await at.run("llm", [refused, says(GOOD)])).detail.usage).toMatchObject({
      inputTokens: 10,
    });
  });
});

const hopeless: readonly (readonly [string, Move, string])[] = [
  ["401", fails(401, { message: `bad key ${KEY}` }), "HTTP 401: bad key [redacted:LOCAL_API_KEY]"],
  ["no more quota", fails(429, { message: "pay", code: "insufficient_quota" }), "HTTP 429: pay"],
  [
    "an error in the stream that stays",
    { pieces: [event({ error: { code: 402, message: "no credit" } })] },
    "HTTP 402: no credit",
  ],
  [
    "the older vLLM error",
    { pieces: [event({ object: "error", message: "too long", code: 400 })] },
    "HTTP 400: too long",
  ],
  ["a web page", text("<!doctype html>"), "is the provider's baseUrl right?"],
  ["an answer cut off", says(GOOD, "length"), "cut off at the model's length limit"],
  ["an answer withheld", says("", "content_filter"), "withheld by the provider's content filter"],
  [
    "a refusal",
    { pieces: [chunk({ refusal: "I can" }), chunk({ refusal: "not" }, "stop")] },
    "the model refused: I cannot",
  ],
  ["an empty answer", says(" \n"), "the answer is empty"],
  ["thoughts alone", says("<think>hm</think>"), "the answer is empty"],
  [
    "no choice at all",
    { pieces: [event({ choices: [], usage: USAGE }), event("[DONE]")] },
    "holds no message",
  ],
  ["a tool call without tools", calls(["read_file", { path: "x" }]), "it called a tool but has none"],
];

describe("a permanent failure", () => {
  it.each(hopeless)("is reported at once, without the key: %s", async (_name, move, words) => {
    const { code, err, out, requests } = await at.run("llm", [move]);
    expect(code).toBe(6);
    expect(out).toBe("");
    expect(err).toContain(words);
    expect(err).not.toContain(KEY);
    expect(requests).toHaveLength(1);
  });

  it("is a server that falls silent", async () => {
    const silent = await at.run("llm", [{ pieces: [chunk({ content: "half" })], after: "hang" }], {
      args: ["--idle", "1"],
    });
    // A busy machine may not even have brought the first half by then.
    expect(silent.err).toMatch(/was silent for 1 s in the middle of its answer|gave no answer within 1 s/);
    const mute = await at.run("llm", [{ pieces: [], after: "hang" }], { args: ["--timeout", "1"] });
    expect(mute.err).toContain("it ran longer than 1 s (--timeout)");
    expect(mute.requests).toHaveLength(1);
  });

  it("is an answer that never ends", async () => {
    const piece = chunk({ content: "x".repeat(1024 * 1024) });
    const { err } = await at.run("llm", [{ pieces: Array.from({ length: 9 }, () => piece), after: "hang" }]);
    expect(err).toContain("larger than 8388608 bytes");
  });
});

describe("a server with fewer features", () => {
  it("gets a request without what it refuses", async () => {
    const refusals = [
      fails(400, { message: "Unknown parameter: stream_options" }),
      fails(400, { message: "stream is not supported by this model" }),
    ];
    const ran = await at.run("llm", [...refusals, json({ choices: [{ message: { content: GOOD } }] })]);
    expect(stepOf(at, ran).output).toEqual({ approved: true });
    expect(ran.requests.map(({ body }) => [body.stream, body.stream_options === undefined])).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ]);
  });
});

describe("keys", () => {
  it("do not reach the model, the nodes or stderr", async () => {
    const echo = says(`---\napproved: true\ncomments: "${KEY}"\n---\n${KEY}`);
    const ran = await at.run("llm", [says(`No header, but ${KEY}`), echo]);
    const { detail, output } = stepOf(at, ran);
    expect(output).toEqual({ approved: true, comments: "[redacted:LOCAL_API_KEY]" });
    expect(JSON.stringify(detail)).not.toContain(KEY);
    expect(ran.requests.map(({ text: sent }) => sent).join()).not.toContain(KEY);
  });
});
