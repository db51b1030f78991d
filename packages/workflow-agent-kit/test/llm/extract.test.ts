import { createMemoryStore, type JsonObject, putSchema, type Store } from "@uncaged/json-cas";
import { createRedactor } from "@uncaged/workflow-util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { accept } from "../../src/accept.js";
import { llmExtract } from "../../src/llm/chat.js";
import type { ChatPort } from "../../src/llm/index.js";
import { calls, type FakeServer, fails, type Move, says, startServer } from "./fake-server.js";

const KEY = 'sk-se"cret/key-1234567890';
const META: JsonObject = {
  type: "object",
  properties: { approved: { type: "boolean" } },
  required: ["approved"],
  additionalProperties: false,
};

let store: Store;
let server: FakeServer | null = null;
let slept: number[] = [];

beforeEach(() => {
  store = createMemoryStore();
  slept = [];
});

afterEach(async () => {
  await server?.close();
  server = null;
});

type Options = {
  readonly reply?: string;
  readonly timeoutMs?: number;
  readonly wordlessMs?: number;
  readonly apiKey?: string | null;
  readonly abort?: AbortSignal;
};

async function run(moves: readonly Move[], options: Options = {}) {
  server = await startServer(moves);
  const port: ChatPort = {
    fetch: globalThis.fetch,
    sleep: async (ms) => {
      slept.push(ms);
    },
    now: () => Date.parse("2026-01-01T00:00:00Z"),
    timeoutMs: options.timeoutMs ?? 30_000,
    idleMs: 30_000,
    wordlessMs: options.wordlessMs ?? 30_000,
    onActivity: () => {},
    signal: options.abort ?? new AbortController().signal,
  };
  const apiKey = options.apiKey === undefined ? KEY : options.apiKey;
  const { value: result, ...session } = await llmExtract(
    {
      model: {
        name: "test-model",
        baseUrl: `${server.baseUrl}/`,
        apiKey,
        conceal: createRedactor([{ name: "MY_KEY", value: apiKey ?? "" }]).text,
      },
      schema: META,
      reply: options.reply ?? "I approve of this.",
      store,
      accept: (data) => accept(META, data),
    },
    port,
  );
  return { result, session, received: server.received, lines: result.ok ? "" : result.error.join("\n") };
}

const GOOD = { ok: true, value: { approved: true } };

describe("the extract by a model", () => {
  it("sends schema and reply in JSON mode and validates the answer", async () => {
    const { result, received } = await run([says('{"approved": true, "extra": 1}')]);
    expect(result).toEqual(GOOD);
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({
      path: "/v1/chat/completions",
      authorization: `Bearer ${KEY}`,
      body: { model: "test-model", response_format: { type: "json_object" } },
    });
    const [system, user] = received[0]?.body.messages ?? [];
    expect(system).toMatchObject({ role: "system", content: expect.stringContaining(JSON.stringify(META)) });
    expect(user).toEqual({ role: "user", content: "I approve of this." });
    expect(received[0]?.body.tools).toBeUndefined();
  });

  it("sends no key where the provider asks for none", async () => {
    const { received } = await run([says('{"approved": true}')], { apiKey: null });
    expect(received[0]?.authorization).toBeNull();
  });

  const tolerated: readonly (readonly [string, Move])[] = [
    [
      "a list of parts",
      says([
        { type: "text", text: '{"approved":' },
        { type: "text", text: "true}" },
      ]),
    ],
    ["a code fence", says('Here:\n```json\n{"approved": true}\n```\n')],
    ["thoughts before it", says('<think>{"approved": false}?</think>\n{"approved": true}')],
    ["prose around it", says('The result is {"approved": true}.')],
    [
      "no usage and no finish_reason",
      { kind: "json", status: 200, body: { choices: [{ message: { content: '{"approved":true}' } }] } },
    ],
  ];

  for (const [name, move] of tolerated) {
    it(`reads an answer with ${name}`, async () => expect((await run([move])).result).toEqual(GOOD));
  }

  it("hands a rejected answer back once, with the exact violation", async () => {
    const { result, received } = await run([says('{"approved": "yes"}'), says('{"approved": true}')]);
    expect(result).toEqual(GOOD);
    expect(received[1]?.body.messages.at(-1)?.content).toContain('/approved: expected boolean, got "yes"');
  });

  it("takes no answer that says a field twice, or a number that would be rounded", async () => {
    const twice = await run([
      says('```json\n{"approved": false, "approved": true}\n```'),
      says('{"approved": true}'),
    ]);
    expect(twice.result).toEqual(GOOD);
    expect(twice.received[1]?.body.messages.at(-1)?.content).toContain('the key "approved" appears twice');
    const long = says('{"approved": true, "id": 12345678901234567890}');
    expect((await run([long, long])).lines).toContain(
      "the number 12345678901234567890 cannot be held exactly",
    );
  });

  it("takes an answer whose envelope has any number as its id", async () => {
    const body = `{"id": 12345678901234567890, "choices": [{"message": {"content": "{\\"approved\\": true}"}}]}`;
    expect((await run([{ kind: "text", status: 200, body, type: "application/json" }])).result).toEqual(GOOD);
  });

  it("takes its key out of an answer that repeats it, before it can get into violations or nodes", async () => {
    const answer = says(JSON.stringify({ approved: `Bearer ${KEY}` }));
    const { lines } = await run([answer, answer]);
    expect(lines).toContain('got "Bearer [redacted:MY_KEY]"');
    expect(lines).not.toContain(KEY);
  });

  it("never converts a value", async () => {
    const { lines, received } = await run([says('{"approved": "yes"}')]);
    expect(lines).toContain('/approved: expected boolean, got "yes"');
    expect(received).toHaveLength(2);
  });

  const hopeless: readonly (readonly [string, Move, string])[] = [
    [
      "401",
      fails(401, { message: `bad key ${KEY}`, code: "invalid_api_key" }),
      "HTTP 401: bad key [redacted:MY_KEY] (invalid_api_key)",
    ],
    ["402", fails(402, { message: "no credit" }), "HTTP 402: no credit"],
    [
      "insufficient_quota",
      fails(429, { message: "quota", code: "insufficient_quota" }),
      "HTTP 429: quota (insufficient_quota)",
    ],
    ["an error as a text", fails(404, "model not found"), "HTTP 404: model not found"],
    [
      "a detail",
      { kind: "json", status: 422, body: { detail: [{ msg: "bad" }] } },
      'HTTP 422: [{"msg":"bad"}]',
    ],
    [
      "the older vLLM form",
      { kind: "json", status: 400, body: { object: "error", message: "too long", code: 40001 } },
      "HTTP 400: too long",
    ],
    [
      "a web page",
      { kind: "text", status: 404, body: "<html>x</html>", type: "text/html" },
      "a web page instead of JSON",
    ],
    [
      "a web page with 200",
      { kind: "text", status: 200, body: "<!doctype html>", type: "text/html" },
      "is the provider's baseUrl right?",
    ],
    [
      "a redirect",
      { kind: "json", status: 302, body: {}, headers: { location: "https://example.com" } },
      "HTTP 302",
    ],
    [
      "an error inside 200",
      { kind: "json", status: 200, body: { error: { message: "no credit left", code: 402 } } },
      "HTTP 402: no credit left",
    ],
    [
      "an answer cut off",
      says('{"approved": tr', { finish_reason: "length" }),
      "cut off at the model's length limit",
    ],
    [
      "a refusal",
      says(null, { message: { role: "assistant", content: null, refusal: "no" } }),
      "the model refused: no",
    ],
    ["no choices", { kind: "json", status: 200, body: { choices: [] } }, "holds no message"],
  ];

  for (const [name, move, words] of hopeless) {
    it(`fails at once, without a retry: ${name}`, async () => {
      const { lines, received } = await run([move]);
      expect(lines).toContain(words);
      expect(lines).not.toContain(KEY);
      expect(received).toHaveLength(1);
      expect(slept).toEqual([]);
    });
  }

  const transient: readonly (readonly [string, Move, readonly number[]])[] = [
    ["429 with Retry-After in seconds", fails(429, { message: "slow down" }, { "retry-after": "7" }), [7000]],
    [
      "429 with Retry-After as a date",
      fails(429, {}, { "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" }),
      [5000],
    ],
    ["429 without Retry-After", fails(429, { message: "slow down" }), [1000]],
    ["500", { kind: "text", status: 500, body: "", type: "text/plain" }, [1000]],
    ["a web page with 502", { kind: "text", status: 502, body: "<html>", type: "text/html" }, [1000]],
    ["529", fails(529, { message: "overloaded" }), [1000]],
    [
      "an error 503 inside 200",
      { kind: "json", status: 200, body: { error: { message: "down", code: 503 } } },
      [1000],
    ],
    [
      "an error inside a choice",
      says("", { error: { message: "upstream", code: 500 }, finish_reason: "error" }),
      [1000],
    ],
    [
      "a truncated body",
      { kind: "text", status: 200, body: '{"choices": [{"mess', type: "application/json" },
      [1000],
    ],
    ["a dropped connection", { kind: "drop" }, [1000]],
  ];

  for (const [name, move, waits] of transient) {
    it(`tries again after ${name}`, async () => {
      const { result } = await run([move, says('{"approved": true}')]);
      expect(result).toEqual(GOOD);
      expect(slept).toEqual(waits);
    });
  }

  it("gives up after four tries, waiting longer each time", async () => {
    const { lines, received } = await run([fails(500, { message: `no ${KEY}` })]);
    expect(lines).toBe("HTTP 500: no [redacted:MY_KEY]");
    expect(received).toHaveLength(4);
    expect(slept).toEqual([1000, 2000, 4000]);
  });

  it("does not wait for longer than a minute", async () => {
    const { lines } = await run([fails(429, { message: "later" }, { "retry-after": "3600" })]);
    expect(lines).toContain("HTTP 429");
    expect(slept).toEqual([]);
  });

  it("gives up on a server that does not answer", async () => {
    const { lines, received } = await run([{ kind: "hang" }], { timeoutMs: 60 });
    expect(lines).toMatch(/gave no answer within 0.06 s/);
    expect(received).toHaveLength(1);
  });

  it.each([
    ["keep-alives", 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n', ": ping\n\n"],
    ["empty deltas", "", 'data: {"choices":[{"delta":{"content":""}}]}\n\n'],
    ["one line, a byte at a time", "data: ", "x"],
    ["blanks before a JSON text", "", " "],
  ])("gives up on a server that sends no word: %s", async (_what, body, again) => {
    const { lines, received } = await run([{ kind: "drip", body, again }], { wordlessMs: 200 });
    expect(lines).toMatch(/sent no word for 0.2 s/);
    expect(received).toHaveLength(1);
  });

  it("stops when the process is asked to end", async () => {
    const abort = new AbortController();
    const running = run([{ kind: "hang" }], { abort: abort.signal });
    const timer = setInterval(
      () => server !== null && server.received.length > 0 && abort.abort("SIGTERM"),
      5,
    );
    const { result } = await running;
    clearInterval(timer);
    expect(result.ok).toBe(false);
    expect(slept).toEqual([]);
  });

  it("refuses an answer of more than 8 MiB", async () => {
    const { lines } = await run([says("x".repeat(9 * 1024 * 1024))]);
    expect(lines).toContain("larger than 8388608 bytes");
  });

  it("refuses a key that cannot be sent, without showing it", async () => {
    const { lines } = await run([says("{}")], { apiKey: "line\nbreak" });
    expect(lines).toContain("the API key is empty or holds characters");
    expect(lines).not.toContain("line");
  });

  it("goes on without JSON mode where the server does not know it", async () => {
    const refusal = fails(400, { message: "response_format is not supported" });
    const { result, received } = await run([refusal, says('```json\n{"approved": true}\n```')]);
    expect(result).toEqual(GOOD);
    expect(received[1]?.body.response_format).toBeUndefined();
  });
});

describe("the tool cas_get", () => {
  it("is offered when the reply names nodes, and answered from the store", async () => {
    const type = await putSchema(store, { type: "object" });
    const hash = await store.put(type, { verdict: "approved" });
    const { result, received } = await run([calls(hash), says('{"approved": true}')], {
      reply: `See ${hash}.`,
    });
    expect(result).toEqual(GOOD);
    expect(received[0]?.body.tools).toMatchObject([{ function: { name: "cas_get" } }]);
    const answer = received[1]?.body.messages.at(-1);
    expect(answer).toEqual({ role: "tool", tool_call_id: "c1", content: '{"verdict":"approved"}' });
  });

  it("is not offered for words that only look like hashes", async () => {
    const { received } = await run([says('{"approved": true}')], { reply: "See 0123456789ABC." });
    expect(received[0]?.body.tools).toBeUndefined();
  });

  it("says what is missing", async () => {
    const hash = await store.put(await putSchema(store, { type: "object" }), {});
    const moves = [calls("nonsense"), calls("0123456789ABC"), says('{"approved": true}')];
    const { received } = await run(moves, { reply: hash });
    const contents = received
      .at(-1)
      ?.body.messages.filter(({ role }) => role === "tool")
      .map(({ content }) => content);
    expect(contents).toEqual(['"nonsense" is not a hash.', "There is no readable node 0123456789ABC."]);
  });

  it("is answered in eight rounds at most", async () => {
    const hash = await store.put(await putSchema(store, { type: "object" }), {});
    const { lines, received } = await run([calls(hash)], { reply: hash });
    expect(lines).toContain("more than 8 rounds of tool calls");
    expect(received).toHaveLength(9);
  });
});
