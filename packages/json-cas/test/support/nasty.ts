import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../../src/index.js";

// What an enemy writes, for the property tests of whatever reads it.

/** A schema of the corpus, literal or built from its recipe. */
function blowUp(entry: JsonObject): JsonObject {
  const levels = Number(entry.levels);
  if (typeof entry.doubling === "string") return doubling(entry.doubling, levels);
  if (typeof entry.nesting === "string")
    return { type: "object", properties: { a: nesting(entry.nesting, levels) } };
  if (typeof entry.variants === "number") return variants(entry.variants);
  return typeof entry.fields === "number" ? fields(entry.fields) : entry;
}

/** Each definition names the next one twice: as many paths as 2 to the power of `levels`, in a kilobyte. */
function doubling(keyword: string, levels: number): JsonObject {
  const definitions = Array.from({ length: levels }, (_, level): [string, JsonObject] => {
    const next = { $ref: `#/$defs/d${level + 1}` };
    return [`d${level}`, twice(keyword, next)];
  });
  const last: JsonObject = { type: "object", properties: { text: { type: "string" } } };
  const $defs = Object.fromEntries([...definitions, [`d${levels}`, last]]);
  return { type: "object", $defs, properties: { a: { $ref: "#/$defs/d0" } }, required: ["a"] };
}

function twice(keyword: string, next: JsonObject): JsonObject {
  if (keyword === "properties")
    return { type: "object", properties: { a: next, b: next }, required: ["a", "b"] };
  if (keyword === "not") return { not: { not: next }, allOf: [next] };
  // biome-ignore lint/suspicious/noThenProperty: it is the keyword of JSON Schema
  if (keyword === "if") return { if: next, then: next, else: next };
  return { [keyword]: [next, next] };
}

function nesting(keyword: string, levels: number): JsonObject {
  let schema: JsonObject = { type: "string" };
  for (let level = 0; level < levels; level += 1) {
    if (keyword === "properties") schema = { type: "object", properties: { a: schema }, required: ["a"] };
    else if (keyword === "items") schema = { type: "array", items: schema, minItems: 1 };
    else schema = { [keyword]: [schema] };
  }
  return schema;
}

/** A union of many variants, told apart by nothing but their last field. */
function variants(count: number): JsonObject {
  const oneOf = Array.from({ length: count }, (_, index): JsonValue => {
    const properties = { kind: { type: "string" }, value: { const: index } };
    return { type: "object", properties, required: ["kind", "value"], additionalProperties: false };
  });
  return { type: "object", oneOf };
}

function fields(count: number): JsonObject {
  const names = Array.from({ length: count }, (_, index) => `field${index}`);
  return {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { type: "string", minLength: 1 }])),
    required: names,
    additionalProperties: false,
  };
}

/** A text, or parts of one: what would be megabytes is written as its recipe. */
type Recipe = string | readonly Part[];

type Part =
  | string
  | { readonly repeat: string; readonly times: number }
  /** `#` becomes the number of the repetition. */
  | { readonly count: string; readonly times: number }
  /** Each repetition is indented by one blank more. */
  | { readonly indent: string; readonly times: number };

/** The texts of a corpus; there is at least one. */
export function corpus(
  name: "expressions" | "yaml" | "replies" | "terminal" | "paths",
): readonly [string, ...string[]] {
  const [first, ...rest] = (read(name) as readonly Recipe[]).map(cook);
  if (first === undefined) throw new Error(`the corpus ${name} is empty`);
  return [first, ...rest];
}

/** JSON Schemas that cost much for their size. */
export function schemaCorpus(): readonly JsonObject[] {
  return (read("schemas") as readonly JsonObject[]).map(blowUp);
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(join(import.meta.dirname, "corpus", `${name}.json`), "utf8"));
}

function cook(recipe: Recipe): string {
  return typeof recipe === "string" ? recipe : recipe.map(cookPart).join("");
}

function cookPart(part: Part): string {
  if (typeof part === "string") return part;
  if ("repeat" in part) return part.repeat.repeat(part.times);
  const numbers = Array.from({ length: part.times }, (_, index) => index);
  if ("count" in part) return numbers.map((number) => part.count.replaceAll("#", String(number))).join("");
  return numbers.map((number) => " ".repeat(number) + part.indent).join("");
}

/** A place as a part of the whole, so that it stays meaningful while the text changes. */
const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

type Edit<Piece> =
  | { readonly kind: "insert"; readonly at: number; readonly piece: Piece }
  | { readonly kind: "remove"; readonly at: number; readonly length: number }
  | { readonly kind: "repeat"; readonly at: number; readonly length: number; readonly times: number }
  | { readonly kind: "cut"; readonly at: number };

function edits<Piece>(piece: fc.Arbitrary<Piece>): fc.Arbitrary<readonly Edit<Piece>[]> {
  const length = fc.nat({ max: 40 });
  return fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant("insert" as const), at: place, piece }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("remove" as const), at: place, length }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("repeat" as const),
          at: place,
          length,
          times: fc.nat({ max: 9 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("cut" as const), at: place }) },
    ),
    { minLength: 1, maxLength: 6 },
  );
}

/** A text with some places changed; `pieces` are what is put in. */
export function mutatedText(base: string, pieces: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return edits(pieces).map((made) => made.reduce(editText, base));
}

function editText(text: string, edit: Edit<string>): string {
  const at = Math.floor(edit.at * text.length);
  if (edit.kind === "insert") return text.slice(0, at) + edit.piece + text.slice(at);
  if (edit.kind === "cut") return text.slice(0, at);
  const end = at + edit.length;
  if (edit.kind === "remove") return text.slice(0, at) + text.slice(end);
  return text.slice(0, end) + text.slice(at, end).repeat(edit.times) + text.slice(end);
}

/** Bytes with some places changed. */
export function mutatedBytes(base: Uint8Array, pieces: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  return edits(pieces).map((made) => made.reduce(editBytes, base));
}

function editBytes(bytes: Uint8Array, edit: Edit<Uint8Array>): Uint8Array {
  const at = Math.floor(edit.at * bytes.length);
  const end = edit.kind === "remove" || edit.kind === "repeat" ? at + edit.length : at;
  const parts = [bytes.subarray(0, at)];
  if (edit.kind === "insert") parts.push(edit.piece, bytes.subarray(at));
  if (edit.kind === "remove") parts.push(bytes.subarray(end));
  if (edit.kind === "repeat") {
    for (let time = 0; time <= edit.times; time += 1) parts.push(bytes.subarray(at, end));
    parts.push(bytes.subarray(end));
  }
  return new Uint8Array(Buffer.concat(parts));
}

/** Names that every object inherits. */
const PROTOTYPE_NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "__defineGetter__",
  "then",
  "length",
] as const;

/** Texts that look like an id but are not, or that name nothing. */
export const hashLike = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."0123456789ABCDEFGHJKMNPQRSTVWXYZ"), minLength: 1, maxLength: 27 }),
  fc.string({ unit: fc.constantFrom(..."0123456789abcdefILOUilou./\u0000"), minLength: 1, maxLength: 27 }),
);

/** Texts that have broken programs before: other planes, lone surrogates, control sequences, paths, prototype names. */
export const nastyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(...PROTOTYPE_NAMES),
  fc.constantFrom(...corpus("terminal")),
  fc.constantFrom(...corpus("paths")),
  hashLike,
);

/** A key of a map. */
export const keyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...PROTOTYPE_NAMES),
  fc.constantFrom("name", "roles", "meta", "type", "$ref", "a", "b", ""),
  nastyText,
);

/** Any JSON value, with keys that collide with prototypes as own properties. */
export const anyJson: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(
      fc.constantFrom<JsonValue>(null, true, false, 0, -0, 1.5, 1e308, 5e-324, 2 ** 53, -(2 ** 63)),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      nastyText,
    ),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.array(fc.tuple(keyText, tie("value")), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;
