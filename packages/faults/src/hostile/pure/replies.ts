import type { JsonObject } from "@uncaged/json-cas";
import { validateFrontmatter } from "@uncaged/workflow-agent-kit";
import { findFrontmatter, parseFrontmatterMarkdown } from "@uncaged/workflow-util";
import fc from "fast-check";
import { corpus } from "../corpus/index.js";
import { anyJson, mutatedText, nastyText } from "../texts/index.js";
import { batchOf } from "./batch.js";
import type { Subject } from "./types.js";

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

const generated = fc
  .tuple(anyJson, nastyText)
  .map(([value, body]) => `---\n${JSON.stringify(value)}\n---\n${body}`);

const inputs = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...short).chain((reply) => mutatedText(reply, piece)) },
  { weight: 3, arbitrary: generated },
  { weight: 1, arbitrary: fc.array(piece, { maxLength: 8 }).map((parts) => parts.join("")) },
);

/** Replies: the header is found, read and validated, or refused with sentences. */
export const replies: Subject = {
  name: "replies",
  sample: 500,
  batch: 4_000,
  weight: 3,
  open: async ({ slowMs }) => batchOf(inputs, slowMs, readReply),
};

/** Replies that cost much for what they say. */
export const replyBombs: Subject = {
  name: "reply bombs",
  sample: 10,
  batch: 100,
  weight: 2,
  open: async ({ slowMs }) => {
    const bombs = fc.tuple(
      fc.constantFrom(...corpus("replies")),
      fc.constantFrom("", "prose\n", "```\n", "\ufeff"),
    );
    return batchOf(
      bombs.map(([reply, before]) => before + reply),
      slowMs,
      readReply,
    );
  },
};

function readReply(reply: string): void {
  const found = findFrontmatter(reply);
  const parsed = parseFrontmatterMarkdown(reply);
  const valid = validateFrontmatter(SCHEMA, reply);
  if (!found.ok && (parsed.ok || valid.ok)) throw new Error("a header was read that was not found");
  if (!parsed.ok && parsed.error.length === 0) throw new Error("refused without a word");
  if (!valid.ok) {
    if (valid.error.length === 0) throw new Error("invalid without a word");
    return;
  }
  const { text, ...others } = valid.value.value;
  const strangers = Object.keys(others).filter((name) => name !== "more");
  if (typeof text !== "string" || strangers.length > 0)
    throw new Error("what is valid does not fit the schema");
}
