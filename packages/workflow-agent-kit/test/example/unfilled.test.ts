import { type JsonObject, META_SCHEMA_HASH } from "@uncaged/json-cas";
import { expect, it } from "vitest";
import { examplesOf, unfilledIn } from "../../src/example/index.js";

const meta = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...more,
});

const TEXT = { type: "string" };
const FLAG = { type: "boolean" };
const REVIEW = meta({ approved: FLAG, comments: TEXT });

const wrongIn = (schema: JsonObject, output: JsonObject) =>
  unfilledIn(output, examplesOf(schema, [META_SCHEMA_HASH]));

it.each<[string, JsonObject]>([
  ["a text", REVIEW],
  ["texts in lists and maps", meta({ found: { type: "array", items: meta({ file: TEXT }), minItems: 1 } })],
  [
    "two variants",
    { oneOf: [meta({ kind: { const: "a" }, why: TEXT }), meta({ kind: { const: "b" }, who: TEXT })] },
  ],
  ["optional fields only", { type: "object", properties: { note: TEXT } }],
  ["a short text", meta({ ok: FLAG, code: { type: "string", maxLength: 6 } })],
  ["a long text", meta({ text: { type: "string", minLength: 40 } })],
  ["a text with a format", meta({ day: { type: "string", format: "date" } })],
  ["a text with a pattern", meta({ ticket: { type: "string", pattern: "^[A-Z]{3}-\\d{4}$" } })],
  ["a reference", meta({ node: { type: "string", format: "cas_ref" }, title: TEXT })],
])("every example of a meta with %s is recognised, whatever the order of its fields", (_what, schema) => {
  const examples = examplesOf(schema, [META_SCHEMA_HASH]);
  expect(examples.length).toBeGreaterThan(0);
  for (const { example } of examples) {
    const echo = Object.fromEntries(Object.entries(example ?? {}).toReversed());
    expect(unfilledIn(echo, examples)).not.toEqual([]);
  }
});

it.each<[string, JsonObject, JsonObject, readonly string[]]>([
  [
    "of which only the verdict was changed",
    REVIEW,
    { approved: true, comments: "text for comments" },
    ['/comments: "text for comments" is the text of the example, say what is true'],
  ],
  [
    "of which one text was filled in",
    meta({ a: TEXT, b: TEXT }),
    { a: "done", b: "text for b" },
    ['/b: "text for b" is the text of the example, say what is true'],
  ],
  [
    "without its optional fields",
    { type: "object", properties: { a: TEXT, b: TEXT }, required: ["a"] },
    { a: "text for a" },
    ['/a: "text for a" is the text of the example, say what is true'],
  ],
])("an example %s is no work", (_what, schema, output, lines) => {
  expect(wrongIn(schema, output)).toEqual(lines);
});

it.each<[string, JsonObject, JsonObject]>([
  ["with no made-up text", meta({ approved: FLAG }), { approved: false }],
  ["with listed values only", meta({ status: { enum: ["done"] } }), { status: "done" }],
  [
    "with the author's example",
    meta({ status: { type: "string", examples: ["all is well"] } }),
    { status: "all is well" },
  ],
  ["with a made-up text of one digit", meta({ grade: { type: "string", pattern: "^\\d$" } }), { grade: "0" }],
  ["with texts of its own", REVIEW, { approved: false, comments: "There is no text for comments." }],
  [
    "that only shares a date with it",
    meta({ day: { type: "string", format: "date" }, ok: FLAG }),
    { day: "2026-01-31", ok: true },
  ],
])("an output %s is work", (_what, schema, output) => {
  expect(wrongIn(schema, output)).toEqual([]);
});
