import { CasError, type JsonObject, type JsonValue, parseJson } from "@uncaged/json-cas";
import { gather, listedValues, propertiesOf, statedTypes } from "@uncaged/json-schema";
import { accept, fieldNames } from "@uncaged/workflow-agent-kit";
import { err, type Fault, fault, ok, type Result } from "@uncaged/workflow-protocol";
import { withAnswerFields } from "@uncaged/workflow-store";
import { frontmatterSentence, parseFields, readHeader } from "@uncaged/workflow-util";

// A person's answer, as text or as fields: what it says, or one line for each thing that is wrong with it.

/** What a person gave: its fields, and the text as Markdown with a header: a reader sees only the prose. */
export type Given = { readonly value: JsonObject; readonly raw: string };

/** The schema of an answer, who gives it, and when: epoch ms. */
type About = { readonly meta: JsonValue; readonly by: string; readonly at: number };

/** An answer in a file or from an editor; what is wrong with it, one line for each thing. */
export function readTextAnswer(raw: string, about: About): Result<Given, readonly string[]> {
  const read = readAnswer(raw, about.meta);
  return read.ok ? judged(read.value, about) : read;
}

function judged(given: Given, { meta, by, at }: About): Result<Given, readonly string[]> {
  const wrong = violationsOf(meta, given.value, by, at);
  return wrong.length === 0 ? ok(given) : err(wrong);
}

/** An undeclared field, which an agent's reply may have, is a typing mistake in a person's answer. */
export function violationsOf(meta: JsonValue, value: JsonObject, by: string, at: number): readonly string[] {
  const filled = withAnswerFields(meta, value, { by, at, timedOut: false });
  const accepted = accept(meta, filled, { strict: true });
  return accepted.ok ? [] : accepted.error;
}

/** Frontmatter and prose, read as an agent's reply is, or the fields alone as YAML or JSON. */
export function readAnswer(raw: string, meta: JsonValue): Result<Given, readonly string[]> {
  if (hasMark(raw)) {
    const read = readHeader(raw, fieldNames(meta));
    return read.ok ? ok({ value: read.value.data, raw }) : err(read.error.map(frontmatterSentence));
  }
  const fields = parseFields(raw);
  return fields.ok
    ? ok({ value: fields.value, raw: asHeader(raw) })
    : err(fields.error.map(frontmatterSentence));
}

/** A line `---`, or at the beginning one that was meant as such. */
function hasMark(text: string): boolean {
  return /^(?:\ufeff|\s)*[^\n]{0,3}---/.test(text) || /^---[ \t]*\r?$/m.test(text);
}

function asHeader(text: string): string {
  return `---\n${text.trimEnd()}\n---\n`;
}

/**
 * An answer of `name=value`, each read by the type of its field. If one cannot be read, the violations of the others are
 * reported too. `usage`: what a wrong line is answered with.
 */
export function readFieldAnswer(
  fields: readonly string[],
  about: About,
  usage: string,
): Result<Result<Given, readonly string[]>, Fault> {
  const { meta, by, at } = about;
  const declared = propertiesOf(gather(meta, meta).conjuncts);
  const value: Record<string, JsonValue> = Object.create(null);
  const wrong = new Map<string, string>();
  for (const field of fields) {
    const name = nameIn(field, [...declared.keys()]);
    if (name === null)
      return err(fault("USAGE", { reason: `--field ${field} is not <name>=<value>`, usage }));
    if (Object.hasOwn(value, name) || wrong.has(name))
      return err(fault("USAGE", { reason: `--field ${name} is given twice`, usage }));
    const read = typedValue(field.slice(name.length + 1), meta, declared.get(name) ?? true);
    if (read.ok) value[name] = read.value;
    else wrong.set(name, `/${name}: ${read.error}`);
  }
  const answer = { ...value };
  if (wrong.size > 0) {
    const isNamed = (sentence: string): boolean =>
      [...wrong.keys()].some((name) => sentence.startsWith(`/${name}:`));
    const others = violationsOf(meta, answer, by, at).filter((sentence) => !isNamed(sentence));
    return ok(err([...wrong.values(), ...others]));
  }
  return ok(judged({ value: answer, raw: asHeader(JSON.stringify(answer, null, 2)) }, about));
}

/** A declared name may have `=` in it: the longest that fits. */
function nameIn(field: string, declared: readonly string[]): string | null {
  const fitting = declared.filter((name) => field.startsWith(`${name}=`));
  const longest = fitting.sort((a, b) => b.length - a.length)[0];
  if (longest !== undefined) return longest;
  const end = field.indexOf("=");
  return end > 0 ? field.slice(0, end) : null;
}

/** A text as it is where the field is one; else JSON, and where that is none, the text: the schema judges. */
function typedValue(typed: string, meta: JsonValue, schema: JsonValue): Result<JsonValue, string> {
  const { conjuncts } = gather(meta, schema);
  const types = statedTypes(conjuncts) ?? [];
  // `enum: ["1", "2"]`: the text, not the number.
  const isListed = listedValues(conjuncts)?.includes(typed) === true;
  if ((types.length === 1 && types[0] === "string") || isListed) return ok(typed);
  try {
    return ok(parseJson(typed));
  } catch (error) {
    const isJson = error instanceof CasError;
    if (types.includes("string") || (types.length === 0 && !isJson)) return ok(typed);
    if (isJson) return err(error.message);
    return err(
      `must be ${types.map((type) => TYPE_WORDS[type] ?? type).join(" or ")}, found ${JSON.stringify(typed)}`,
    );
  }
}

/** A type as a person would say it. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  array: 'a list in JSON, as in ["a", "b"]',
  object: 'a map in JSON, as in {"a": 1}',
  null: "null",
};
