import type { JsonObject } from "@uncaged/json-cas";
import { findFrontmatter, parseFrontmatterMarkdown } from "@uncaged/workflow-util";
import fc from "fast-check";
import { expect, it } from "vitest";
import { anyJson, corpus, mutatedText, nastyText } from "../../../json-cas/test/support/nasty.js";
import { validateFrontmatter } from "../../src/extract.js";

const SCHEMA: JsonObject = {
  type: "object",
  required: ["text"],
  properties: { text: { type: "string" }, more: {} },
  additionalProperties: false,
};

const short = corpus("replies").filter((text) => text.length < 300);

const piece = fc.oneof(
  nastyText,
  fc.constantFrom("---\n", "\n---\n", "```\n", "\r\n", "text: x\n", ...short),
);

const replies = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...short).chain((reply) => mutatedText(reply, piece)) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(anyJson, nastyText)
      .map(([value, body]) => `---\n${JSON.stringify(value)}\n---\n${body}`),
  },
  { weight: 1, arbitrary: fc.array(piece, { maxLength: 8 }).map((parts) => parts.join("")) },
);

function readReply(reply: string): void {
  const found = findFrontmatter(reply);
  const parsed = parseFrontmatterMarkdown(reply);
  const valid = validateFrontmatter(SCHEMA, reply);
  if (!found.ok) expect([parsed.ok, valid.ok]).toEqual([false, false]);
  if (!parsed.ok) expect(parsed.error).not.toEqual([]);
  if (!valid.ok) {
    expect(valid.error).not.toEqual([]);
    return;
  }
  const { text, more: _more, ...others } = valid.value.value;
  expect([typeof text, others]).toEqual(["string", {}]);
}

it("a reply of any shape is read and fits the schema, or is refused with sentences", () => {
  fc.assert(fc.property(replies, readReply), { numRuns: 500 });
});

it("a reply that costs much for what it says is judged like any other", () => {
  const bombs = fc.tuple(
    fc.constantFrom("", "prose\n", "```\n", "\ufeff"),
    fc.constantFrom(...corpus("replies")),
  );
  fc.assert(
    fc.property(bombs, ([before, reply]) => readReply(before + reply)),
    { numRuns: 10 },
  );
});
