import type { Hash, JsonObject, JsonValue } from "@uncaged/json-cas";
import { firstOf, samplePattern, type TypeName } from "@uncaged/json-schema";
import { numberAt } from "../schema.js";

// Candidate values of one type, the likeliest first. None is trusted: the complete example is validated.

const FORMAT_SAMPLES: Readonly<Record<string, string>> = {
  "date-time": "2026-01-31T12:00:00Z",
  date: "2026-01-31",
  time: "12:00:00Z",
  duration: "P1D",
  email: "someone@example.com",
  "idn-email": "someone@example.com",
  hostname: "example.com",
  "idn-hostname": "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/page",
  "uri-reference": "/page",
  iri: "https://example.com/page",
  "iri-reference": "/page",
  "uri-template": "/page/{id}",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  "json-pointer": "/field",
  "relative-json-pointer": "0/field",
  regex: "^text$",
};

/** The beginning of a made-up text that stands for a text of the agent. */
export const FILLER = "text for ";

/** Longer texts make no readable example. */
const LONGEST_TEXT = 2000;

type Made = {
  /** What a made-up text is called after. */
  readonly name: string;
  /** The value used for a reference. */
  readonly hashes: readonly Hash[];
};

export function scalarCandidates(
  type: TypeName,
  conjuncts: readonly JsonObject[],
  { name, hashes }: Made,
): JsonValue[] {
  switch (type) {
    case "string":
      return isReference(conjuncts) ? [...hashes] : textCandidates(conjuncts, name);
    case "integer":
      return numberCandidates(conjuncts).filter((value) => Number.isSafeInteger(value));
    case "number":
      return numberCandidates(conjuncts);
    case "boolean":
      return [false, true];
    default:
      return [null];
  }
}

function textCandidates(conjuncts: readonly JsonObject[], name: string): string[] {
  const format = firstOf(conjuncts, "format");
  const pattern = firstOf(conjuncts, "pattern");
  const formatted = typeof format === "string" ? (FORMAT_SAMPLES[format] ?? null) : null;
  const least = tightest(conjuncts, "minLength", Math.max) ?? 0;
  const most = tightest(conjuncts, "maxLength", Math.min) ?? LONGEST_TEXT;
  const matching =
    typeof pattern === "string" ? [0, 1, 2, least].map((extra) => samplePattern(pattern, extra)) : [];
  const plain = ["", " 2", " 3", " 4"].map((suffix) => fitLength(`${FILLER}${name}${suffix}`, least, most));
  const short = ["a", "b", "c"].map((text) => fitLength(text, least, most));
  return [...new Set([formatted, ...matching, ...plain, ...short])].filter((text) => text !== null);
}

/** Lengths count characters, as the validator does. */
function fitLength(text: string, least: number, most: number): string | null {
  const characters = [...text].slice(0, most);
  if (least > LONGEST_TEXT || least > most) return null;
  return characters.join("") + ".".repeat(Math.max(0, least - characters.length));
}

function tightest(
  conjuncts: readonly JsonObject[],
  key: string,
  choose: (...values: number[]) => number,
): number | null {
  const values = conjuncts.map((schema) => numberAt(schema, key)).filter((value) => value !== null);
  return values.length === 0 ? null : choose(...values);
}

function numberCandidates(conjuncts: readonly JsonObject[]): number[] {
  const low = tightest(conjuncts, "minimum", Math.max);
  const above = tightest(conjuncts, "exclusiveMinimum", Math.max);
  const high = tightest(conjuncts, "maximum", Math.min);
  const below = tightest(conjuncts, "exclusiveMaximum", Math.min);
  const step = tightest(conjuncts, "multipleOf", Math.max);
  const ends = [low, high, ...around(above, 1), ...around(below, -1)].filter((value) => value !== null);
  const edge = ends[0] ?? 0;
  const middle = ends.length > 1 ? [ends.reduce((sum, value) => sum + value, 0) / ends.length] : [];
  const multiples =
    step === null ? [] : [step, Math.ceil(edge / step) * step, (Math.floor(edge / step) + 1) * step];
  const all = [1, 2, 3, 0, ...ends, ...middle, ...multiples, Math.ceil(edge), edge + 1, edge + 2, 0.5, -1];
  const inside = (value: number): boolean =>
    value >= (low ?? -Infinity) &&
    value <= (high ?? Infinity) &&
    value > (above ?? -Infinity) &&
    value < (below ?? Infinity);
  return [...new Set(all)].filter((value) => Number.isFinite(value) && inside(value));
}

function around(limit: number | null, direction: number): readonly number[] {
  return limit === null ? [] : [limit + direction, limit + direction / 2, limit + direction / 100];
}

function isReference(conjuncts: readonly JsonObject[]): boolean {
  return firstOf(conjuncts, "format") === "cas_ref";
}

/**
 * The author's `examples` and `default` come before invented values, except for references, whose hashes an author
 * cannot know.
 */
export function authoredCandidates(conjuncts: readonly JsonObject[]): readonly JsonValue[] {
  if (isReference(conjuncts)) return [];
  return conjuncts.flatMap((schema) => {
    const examples = schema.examples;
    const listed: readonly JsonValue[] = Array.isArray(examples) ? examples : [];
    return Object.hasOwn(schema, "default") ? [...listed, schema.default ?? null] : listed;
  });
}
