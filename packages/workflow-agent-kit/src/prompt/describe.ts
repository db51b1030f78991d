import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import {
  entriesAt,
  firstOf,
  type Gathered,
  gather,
  isObject,
  listAt,
  propertiesOf,
  requiredOf,
  textAt,
  unionsOf,
} from "../schema/index.js";
import { descriptionOf, limitPhrases, rawRules, typePhrase } from "./phrases.js";

/** Where the description of one schema stands. */
type Place = {
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
export function describeFields(root: JsonValue, schema: JsonValue): readonly string[] {
  const gathered = gather(root, schema);
  const place = { root, lines: [], indent: "", active: gathered.refs };
  describeMembers(place, gathered);
  return place.lines;
}

/** Everything below the line of a value: fields, items, variants, rules. */
function describeMembers(place: Place, gathered: Gathered): void {
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

function describeValue(place: Place, name: string, schema: JsonValue, required: boolean | null): void {
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

function describeOpenFields(place: Place, conjuncts: readonly JsonObject[]): void {
  for (const schema of conjuncts) {
    for (const [pattern, property] of entriesAt(schema, "patternProperties")) {
      describeValue(place, `every field whose name matches /${pattern}/`, property, null);
    }
  }
  const others = firstOf(conjuncts, "additionalProperties");
  if (isObject(others)) describeValue(place, "every other field", others, null);
  if (others === true) add(place, "- further fields are allowed");
}

function describeItems(place: Place, conjuncts: readonly JsonObject[]): void {
  for (const schema of conjuncts) {
    for (const [index, item] of listAt(schema, "prefixItems").entries()) {
      describeValue(place, `item ${index + 1}`, item, null);
    }
  }
  const items = firstOf(conjuncts, "items");
  if (isObject(items)) describeValue(place, "each item", items, null);
}

function describeVariants(place: Place, variants: readonly JsonValue[]): void {
  add(place, "- one of these variants:");
  const inner = { ...place, indent: `${place.indent}  ` };
  for (const [index, variant] of variants.entries()) {
    describeValue(inner, variantName(place.root, variant, index), variant, null);
  }
}

/** `variant 2, Rejection`: the title where the variant has one. */
export function variantName(root: JsonValue, variant: JsonValue, index: number): string {
  const title = firstOf(gather(root, variant).conjuncts, "title");
  return `variant ${index + 1}${typeof title === "string" ? `, ${title}` : ""}`;
}

function add(place: Place, line: string): void {
  if (place.lines.length === MOST_LINES) place.lines.push(LEFT_OUT);
  if (place.lines.length < MOST_LINES) place.lines.push(`${place.indent}${line}`);
}
