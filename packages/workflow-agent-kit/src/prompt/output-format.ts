import { type Hash, type JsonObject, type JsonValue, META_SCHEMA_HASH } from "@uncaged/json-cas";
import {
  entriesAt,
  firstOf,
  type Gathered,
  gather,
  isObject,
  listAt,
  listedValues,
  propertiesOf,
  requiredOf,
  type TypeName,
  typesOf,
  unionsOf,
} from "@uncaged/json-schema";
import { LIMITS } from "@uncaged/workflow-protocol";
import { accept, fieldNames, withField } from "../accept.js";
import { examplesOf, type ShownValues, type VariantExample } from "../example/index.js";
import { hasReferences, numberAt, textAt } from "../schema.js";
import { wrap, yamlOf } from "./history.js";

const TYPE_WORDS: Readonly<Record<TypeName, string>> = {
  object: "object",
  array: "list",
  string: "string",
  number: "number",
  integer: "integer",
  boolean: "boolean",
  null: "null",
};

/** `string or null`, `exactly "a"`, `one of "a", "b"`, `any value`. */
function typePhrase({ conjuncts, impossible }: Gathered): string {
  if (impossible) return "no value is allowed";
  const values = listedValues(conjuncts);
  if (values?.length === 1) return `exactly ${JSON.stringify(values[0])}`;
  if (values !== null) return `one of ${values.map((value) => JSON.stringify(value)).join(", ")}`;
  const types = typesOf(conjuncts);
  return types === null ? "any value" : types.map((type) => TYPE_WORDS[type]).join(" or ");
}

const LIMIT_PHRASES: readonly (readonly [string, (value: string) => string])[] = [
  ["format", (value) => (value === "cas_ref" ? "the hash of a stored node" : `format ${value}`)],
  ["pattern", (value) => `matching /${value}/`],
  ["minLength", (value) => `at least ${value} characters`],
  ["maxLength", (value) => `at most ${value} characters`],
  ["minimum", (value) => `at least ${value}`],
  ["exclusiveMinimum", (value) => `greater than ${value}`],
  ["maximum", (value) => `at most ${value}`],
  ["exclusiveMaximum", (value) => `less than ${value}`],
  ["multipleOf", (value) => `a multiple of ${value}`],
  ["minItems", (value) => `at least ${value} items`],
  ["maxItems", (value) => `at most ${value} items`],
  ["minProperties", (value) => `at least ${value} fields`],
  ["maxProperties", (value) => `at most ${value} fields`],
];

/** `at least 1 characters, matching /^a/` as a list of phrases, in a fixed order. */
function limitPhrases(conjuncts: readonly JsonObject[]): readonly string[] {
  const phrases = LIMIT_PHRASES.flatMap(([key, phrase]) =>
    conjuncts
      .map((schema) => textAt(schema, key) ?? numberAt(schema, key))
      .filter((value) => value !== null)
      .map((value) => phrase(String(value))),
  );
  const unique = firstOf(conjuncts, "uniqueItems") === true ? ["no item twice"] : [];
  return [...new Set([...phrases, ...unique])];
}

const UNSPOKEN = [
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "propertyNames",
  "contains",
  "minContains",
  "maxContains",
  "unevaluatedProperties",
  "unevaluatedItems",
];

/** Keywords that have no words of their own, as the schema writes them. */
function rawRules(conjuncts: readonly JsonObject[]): readonly string[] {
  return conjuncts.flatMap((schema) => {
    const kept = UNSPOKEN.filter((key) => Object.hasOwn(schema, key) && schema[key] !== false);
    if (kept.length === 0) return [];
    return [
      JSON.stringify(Object.fromEntries(kept.map((key): [string, JsonValue] => [key, schema[key] ?? null]))),
    ];
  });
}

/** A description on one line; "" if there is none. */
function descriptionOf(conjuncts: readonly JsonObject[]): string {
  const text = firstOf(conjuncts, "description");
  return typeof text === "string" ? text.replace(/\s+/g, " ").trim() : "";
}

/** Where the description of one schema stands. */
type SchemaPosition = {
  readonly root: JsonValue;
  readonly lines: string[];
  readonly indent: string;
  /** References being described around this place: met again, they are recursion. */
  readonly active: readonly string[];
};

/** References nest and branch: a small schema can describe an endless text. */
const MOST_LINES = 1000;
const LEFT_OUT = "- (more fields follow, they are left out here)";

/** Every field that the schema declares, one line each, nested ones indented below. */
function describeFields(root: JsonValue, schema: JsonValue): readonly string[] {
  const gathered = gather(root, schema);
  const place = { root, lines: [], indent: "", active: gathered.refs };
  describeMembers(place, gathered);
  return place.lines;
}

/** Everything below the line of a value: fields, items, variants, rules. */
function describeMembers(place: SchemaPosition, gathered: Gathered): void {
  const { conjuncts } = gathered;
  const required = new Set(requiredOf(conjuncts));
  const properties = propertiesOf(conjuncts);
  for (const [name, property] of properties) {
    describeValue(place, `\`${name}\``, property, required.has(name));
  }
  for (const name of required) {
    if (!properties.has(name)) describeValue(place, `\`${name}\``, true, true);
  }
  describeOpenFields(place, conjuncts);
  describeItems(place, conjuncts);
  for (const variants of unionsOf(conjuncts)) describeVariants(place, variants);
  for (const rule of rawRules(conjuncts)) add(place, `- also valid against the JSON Schema ${rule}`);
}

function describeValue(
  place: SchemaPosition,
  name: string,
  schema: JsonValue,
  required: boolean | null,
): void {
  const gathered = gather(place.root, schema);
  const variants = nullable(place.root, gathered);
  const shown = variants ?? gathered;
  const facts = [
    `${typePhrase(shown)}${variants === null ? "" : " or null"}`,
    ...(required === null ? [] : [required ? "required" : "optional"]),
    ...limitPhrases(shown.conjuncts),
  ];
  const description = descriptionOf(gathered.conjuncts) || descriptionOf(shown.conjuncts);
  add(place, `- ${name} (${facts.join(", ")})${description === "" ? "" : `: ${description}`}`);
  const seen = shown.refs.find((ref) => place.active.includes(ref));
  const below = { ...place, indent: `${place.indent}  `, active: [...place.active, ...shown.refs] };
  if (seen !== undefined) add(below, `- the same fields as ${seen} above`);
  else if (place.lines.length <= MOST_LINES) describeMembers(below, shown);
}

/** `anyOf: [X, null]` is X or null: the other variant; `null` for every other schema. */
function nullable(root: JsonValue, gathered: Gathered): Gathered | null {
  const [variants, ...rest] = unionsOf(gathered.conjuncts);
  if (variants?.length !== 2 || rest.length > 0) return null;
  const other = variants.find((variant) => !isNullType(variant));
  if (other === undefined || !variants.some(isNullType)) return null;
  const inner = gather(root, other);
  const own = gathered.conjuncts.map(withoutUnions);
  return { ...inner, conjuncts: [...own, ...inner.conjuncts], refs: [...gathered.refs, ...inner.refs] };
}

function isNullType(schema: JsonValue): boolean {
  return isObject(schema) && textAt(schema, "type") === "null";
}

function withoutUnions({ anyOf: _any, oneOf: _one, ...rest }: JsonObject): JsonObject {
  return rest;
}

function describeOpenFields(place: SchemaPosition, conjuncts: readonly JsonObject[]): void {
  for (const schema of conjuncts) {
    for (const [pattern, property] of entriesAt(schema, "patternProperties")) {
      describeValue(place, `every field whose name matches /${pattern}/`, property, null);
    }
  }
  const others = firstOf(conjuncts, "additionalProperties");
  if (isObject(others)) describeValue(place, "every other field", others, null);
  if (others === true) add(place, "- further fields are allowed");
}

function describeItems(place: SchemaPosition, conjuncts: readonly JsonObject[]): void {
  for (const schema of conjuncts) {
    for (const [index, item] of listAt(schema, "prefixItems").entries()) {
      describeValue(place, `item ${index + 1}`, item, null);
    }
  }
  const items = firstOf(conjuncts, "items");
  if (isObject(items)) describeValue(place, "each item", items, null);
}

function describeVariants(place: SchemaPosition, variants: readonly JsonValue[]): void {
  add(place, "- one of these variants:");
  const inner = { ...place, indent: `${place.indent}  ` };
  for (const [index, variant] of variants.entries()) {
    describeValue(inner, variantName(place.root, variant, index), variant, null);
  }
}

/** `variant 2, Rejection`: with the title if the variant has one. */
function variantName(root: JsonValue, variant: JsonValue, index: number): string {
  const title = firstOf(gather(root, variant).conjuncts, "title");
  return `variant ${index + 1}${typeof title === "string" ? `, ${title}` : ""}`;
}

function add(place: SchemaPosition, line: string): void {
  if (place.lines.length === MOST_LINES) place.lines.push(LEFT_OUT);
  if (place.lines.length < MOST_LINES) place.lines.push(`${place.indent}${line}`);
}

const RULES = `Your final reply is Markdown that begins with a YAML header:

- The first line is \`---\`, the header's fields follow, a second line \`---\` ends the header. Nothing comes before it.
- After the header write freely: what you did, found and decided.
- Fill the header with what is true of your work. A value of the wrong type or a missing required field makes the reply invalid; nothing is converted or guessed.
- Put every text in quotes; one with \`: \` or \` #\` in it is not valid without them. In double quotes a backslash begins an escape: a text with a backslash goes into single quotes, \`'C:\\temp'\`, where a \`'\` is written \`''\`, or is a block: \`|\` after the colon, and its lines indented below.
- Booleans are \`true\` and \`false\`, without quotes. No anchors, aliases, merge keys, tags or repeated keys.`;

const REFERENCES = `- A field with the hash of a stored node refers to a node that is there; with a hash that you make up the reply is invalid. To refer to a file in your working folder, give its relative path, \`"./notes.md"\`: it is stored as it is when you reply. To refer to a text, store it first, by your tool \`cas_put\` if you have one, else by \`uwf cas put-text --file <path>\` (\`-\` instead of the file takes stdin), and give the hash that is printed.`;

const NO_FIELDS = "- (no field is declared)";

/**
 * The deliverable's format, rendered from the role's `meta`: rules, every field, one valid example for each of the first
 * variants. `hashes` are nodes that exist: the example's references; a store with schemas has the default one. `shown` is
 * what `closedValues` gave for the role.
 */
export function buildOutputFormatInstruction(
  schema: JsonValue,
  hashes: readonly Hash[] = [META_SCHEMA_HASH],
  shown: ShownValues = new Map(),
): string {
  const fields = describeFields(schema, schema);
  const examples = examplesOf(schema, hashes, shown).map((found, index) => exampleText(schema, found, index));
  const rules = hasReferences(schema) ? `${RULES}\n${REFERENCES}` : RULES;
  return [rules, `Fields of the header:\n\n${fields.join("\n") || NO_FIELDS}`, ...examples].join("\n\n");
}

/** Every field as a line, with its type and limits. */
export function outputFields(schema: JsonValue): readonly string[] {
  const fields = describeFields(schema, schema);
  return fields.length === 0 ? [NO_FIELDS] : fields;
}

/** One valid output; `null` if none could be made. */
export function exampleOf(schema: JsonValue, shown: ShownValues = new Map()): JsonObject | null {
  const [found] = examplesOf(schema, [META_SCHEMA_HASH], shown);
  return found?.example ?? null;
}

/** The same as YAML. */
export function outputExample(schema: JsonValue, shown: ShownValues = new Map()): string | null {
  const example = exampleOf(schema, shown);
  return example === null ? null : yamlOf(example);
}

function exampleText(schema: JsonValue, { variant, example }: VariantExample, index: number): string {
  const of = variant === null ? "" : ` of ${variantName(schema, variant, index)}`;
  const reply = example === null ? null : exampleReply(schema, example);
  if (reply === null) return `No example${of} could be made from the schema; follow the fields above.`;
  return `Example${of} (the form counts; the values are yours to fill in):\n\n${wrap("example", {}, reply)}`;
}

/**
 * The example as a reply. It was found valid; that our reader returns exactly this value follows from how it is
 * written (tested over generated schemas: reading it back here would cost every prompt the YAML reader). `null`
 * for what the reader refuses: integers that are not exact, and more than its size limit.
 */
function exampleReply(schema: JsonValue, example: JsonObject): string | null {
  const header = yamlOf(example);
  const readable = isExact(example) && Buffer.byteLength(header) <= LIMITS.frontmatter;
  const kept = withField(accept(schema, example), fieldNames(schema));
  if (!readable || !kept.ok || yamlOf(kept.value) !== header) return null;
  return `---\n${header}---\n\nWhat you did, found and decided.\n`;
}

function isExact(value: JsonValue): boolean {
  if (typeof value === "number") return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.values(value).every(isExact);
}
