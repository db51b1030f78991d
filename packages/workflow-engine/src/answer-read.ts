import { CasError, isObject, type JsonObject, type JsonValue, parseJson } from "@uncaged/json-cas";
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
  const accepted = accept(meta, filled);
  const wrong = accepted.ok ? [] : accepted.error;
  const undeclared = accepted.ok
    ? leftOut(filled, accepted.value, "")
    : Object.keys(filled)
        .filter((key) => isUndeclared(key, meta))
        .map((key) => `/${key}`);
  // A misspelt one has been reported already.
  const unknown = undeclared
    .map((at) => `${at}: not a declared field`)
    .filter((sentence) => !wrong.some((each) => each.startsWith(sentence)));
  return [...unknown, ...wrong];
}

/** Where `given` has members that `kept` has not. */
function leftOut(given: JsonValue, kept: JsonValue, at: string): readonly string[] {
  if (typeof given !== "object" || given === null || typeof kept !== "object" || kept === null) return [];
  return Object.entries(given).flatMap(([key, member]) => {
    const below = `${at}/${key}`;
    const its = Object.hasOwn(kept, key) ? (kept as JsonObject)[key] : undefined;
    return its === undefined ? [below] : leftOut(member, its, below);
  });
}

/** Whether the schema excludes the field: it may take undeclared ones by a pattern, or all. */
function isUndeclared(key: string, meta: JsonValue): boolean {
  if (!isObject(meta) || !isObject(meta.properties) || Object.hasOwn(meta.properties, key)) return false;
  return meta.patternProperties === undefined && (meta.additionalProperties ?? false) === false;
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
  const value: Record<string, JsonValue> = Object.create(null);
  const wrong = new Map<string, string>();
  for (const field of fields) {
    const name = nameIn(field, meta);
    if (name === null)
      return err(fault("USAGE", { reason: `--field ${field} is not <name>=<value>`, usage }));
    if (Object.hasOwn(value, name) || wrong.has(name))
      return err(fault("USAGE", { reason: `--field ${name} is given twice`, usage }));
    const read = typedValue(field.slice(name.length + 1), schemaAt(meta, name));
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
function nameIn(field: string, meta: JsonValue): string | null {
  const declared = Object.keys(propertiesOf(meta)).filter((name) => field.startsWith(`${name}=`));
  const longest = declared.sort((a, b) => b.length - a.length)[0];
  if (longest !== undefined) return longest;
  const end = field.indexOf("=");
  return end > 0 ? field.slice(0, end) : null;
}

function propertiesOf(meta: JsonValue): JsonObject {
  return isObject(meta) && isObject(meta.properties) ? (meta.properties as JsonObject) : {};
}

function schemaAt(meta: JsonValue, name: string): JsonValue | undefined {
  const properties = propertiesOf(meta);
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** The types in the field's `type`; none: any. */
function typesOf(schema: JsonValue | undefined): readonly string[] {
  const type = isObject(schema) ? schema.type : undefined;
  return [type].flat().filter((each) => typeof each === "string");
}

/** `enum: ["1", "2"]`: the text, not the number. */
function isListed(typed: string, schema: JsonValue | undefined): boolean {
  if (!isObject(schema)) return false;
  return schema.const === typed || (Array.isArray(schema.enum) && schema.enum.includes(typed));
}

/** A text as it is where the field is one; else JSON, and where that is none, the text: the schema judges. */
function typedValue(typed: string, schema: JsonValue | undefined): Result<JsonValue, string> {
  const types = typesOf(schema);
  if ((types.length === 1 && types[0] === "string") || isListed(typed, schema)) return ok(typed);
  try {
    return ok(parseJson(typed));
  } catch (error) {
    const isJson = error instanceof CasError;
    if (types.includes("string") || (types.length === 0 && !isJson)) return ok(typed);
    if (isJson) return err(error.message);
    return err(`must be ${types.map(wordsFor).join(" or ")}, found ${JSON.stringify(typed)}`);
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

function wordsFor(type: string): string {
  return TYPE_WORDS[type] ?? type;
}
