import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBody } from "../../src/llm/stream.js";

const LIMIT = 1024 * 1024;

/** The body of these pieces, and the state after each. */
function read(pieces: readonly Uint8Array[], limit = LIMIT) {
  const body = createBody(limit);
  const states = pieces.map((piece) => {
    body.push(piece);
    return body.state();
  });
  return { text: body.text(), states, streamed: body.streamed() };
}

function cut(text: string, places: readonly number[]): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) =>
    bytes.subarray(index === 0 ? 0 : (ends[index - 1] ?? 0), end),
  );
}

const event = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const delta = (more: object, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta: more, finish_reason: finish }] });

describe("an answer that arrives in pieces", () => {
  it("says the same wherever it is cut, with any line ends, and with comments in between", () => {
    const words = fc.array(fc.string({ unit: "binary", maxLength: 8 }), { maxLength: 5 });
    const ends = fc.constantFrom("\n", "\r\n", "\r");
    fc.assert(
      fc.property(
        words,
        ends,
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.boolean(),
        (texts, end, places, chatty) => {
          const whole = [
            ...texts.map((content) => delta({ content })),
            delta({}, "stop"),
            "data: [DONE]\n\n",
          ];
          const text = whole.join(chatty ? ": ping\n\n" : "").replaceAll("\n", end);
          const told = JSON.parse(read(cut(text, places)).text ?? "");
          expect(told.choices[0]).toMatchObject({
            // Half surrogates do not survive UTF-8.
            message: { content: Buffer.from(texts.join("")).toString() },
            finish_reason: "stop",
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  it("is passed on unchanged if it is not a stream", () => {
    for (const text of ['{"choices": []}', "<html>", "", "da", "database is down", "\ufeff{}", "error: x"]) {
      const { text: told, streamed } = read(cut(text, [1, 2]));
      expect([told, streamed]).toEqual([text.replace("\ufeff", ""), false]);
    }
  });

  it("is finished with its last word, and closed with [DONE] or an error", () => {
    const pieces = [": hi\n\n", delta({ content: "a" }), delta({}, "stop"), "data: [DONE]\n\n"].map((one) =>
      Buffer.from(one),
    );
    expect(read(pieces).states).toEqual(["open", "open", "finished", "closed"]);
    expect(read([Buffer.from(event({ error: { message: "x" } }))]).states).toEqual(["closed"]);
  });

  it("is refused where it is larger than the limit, as text, in one line, or without end", () => {
    const big = Buffer.alloc(600, "x");
    expect(read([big, big], 1000)).toMatchObject({ text: null, states: ["open", "closed"] });
    expect(read([Buffer.from("data: "), big, big], 1000).text).toBeNull();
    expect(read([Buffer.from(delta({ content: "y".repeat(1100) }))], 1000).text).toBeNull();
    const ping = Buffer.from(": ping\n\n");
    expect(
      read(
        Array.from({ length: 9000 }, () => ping),
        1000,
      ).text,
    ).toBeNull();
  });

  it.each([
    ["empty deltas", delta({})],
    ["deltas with empty members", delta({ role: "assistant", content: "", tool_calls: [] })],
    ["comments", ": ping\n"],
    ["empty lines", "\n"],
    ["lines of one event that never ends", "data: x\n"],
    ["empty lines of one event", "data:\n"],
  ])("is refused after 100,000 lines without a word: %s", (_what, line) => {
    const body = createBody(8 * LIMIT);
    const piece = Buffer.from(line.repeat(1000));
    body.push(Buffer.from(delta({ content: "a" })));
    let pushed = 0;
    for (; body.state() === "open" && pushed < 102; pushed += 1) body.push(piece);
    expect(pushed).toBeLessThan(102);
    expect([body.text(), body.excess(), body.words()]).toEqual([
      null,
      "has more than 100000 lines without a word",
      1,
    ]);
  });

  it("has words where it brings a text, a thought or a call", () => {
    const words = (more: object): number => {
      const body = createBody(LIMIT);
      body.push(Buffer.from(delta(more)));
      return body.words();
    };
    const said = [
      { content: "a" },
      { reasoning_content: "a" },
      { tool_calls: [{ index: 0 }] },
      { refusal: "a" },
    ];
    expect(said.map(words)).toEqual([1, 1, 1, 1]);
    expect([{}, { role: "assistant" }, { content: "" }, { tool_calls: [] }].map(words)).toEqual([0, 0, 0, 0]);
  });

  it("takes work in proportion to its length, in pieces of any size", () => {
    const body = createBody(8 * LIMIT);
    for (let at = 0; at < 500_000; at += 1) body.push(Buffer.from(" "));
    for (const letter of '{"a":1}') body.push(Buffer.from(letter));
    expect(JSON.parse(body.text() ?? "")).toEqual({ a: 1 });
  });

  it("holds 256 tool calls at most", () => {
    const calls = Array.from({ length: 9000 }, (_, index) => ({ index, function: { name: "x" } }));
    const { text } = read([Buffer.from(delta({ tool_calls: calls }, "tool_calls"))]);
    expect(JSON.parse(text ?? "").choices[0].message.tool_calls).toHaveLength(256);
  });

  it("keeps 64 members of a tool call that it does not know at most", () => {
    const pieces = Array.from({ length: 100 }, (_, at) =>
      delta({ tool_calls: [{ index: 0, [`more${at}`]: 1 }] }),
    );
    const all = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`more${at}`, 1]));
    for (const given of [pieces.join(""), delta({ tool_calls: [{ index: 0, ...all }] })]) {
      const { text } = read([Buffer.from(given + delta({}, "tool_calls"))]);
      const [call] = JSON.parse(text ?? "").choices[0].message.tool_calls;
      expect(Object.keys(call).filter((name) => name.startsWith("more"))).toHaveLength(64);
    }
  });

  it("never throws, whatever a stream holds", () => {
    const odd = fc.oneof(
      fc.json().map((json) => `data: ${json}\n\n`),
      fc.json().map((json) =>
        event({
          choices: [{ delta: { tool_calls: JSON.parse(json), content: JSON.parse(json) } }],
          usage: 1,
        }),
      ),
      fc.string({ unit: "binary" }),
      fc.constantFrom("data:\n\n", "event: error\n", "data: {\n", "\r", "id: 1\n\n"),
    );
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 6 }), (parts) => {
        const { text } = read([Buffer.from(`data: ${parts.join("")}`)]);
        expect(typeof JSON.parse(text ?? "null")).toBe("object");
      }),
      { numRuns: 300 },
    );
  });
});
