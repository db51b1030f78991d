import {
  appliedTo,
  gather,
  isObject,
  type JsonValue,
  listedValues,
  propertiesOf,
  textsAt,
} from "@uncaged/json-schema";
import { CHILD_FACTS, MAP_FACTS, suggest } from "@uncaged/workflow-protocol";
import type { AstNode } from "../engine/index.js";
import type { Places } from "../infer/index.js";
import { type ExpressionProblem, problemAt } from "./problem.js";
import { declaredFields, type Schema, statedTypes } from "./schema.js";

// What `agent.workflow.output` makes of a child's history has to fit the parent's meta. The child's workflow is known only
// when it is started, so its fields may be anything; the names and literals of the object stand in the expression.

/** What uwf says of a child in its output, where meta declares it. */
const FACTS: ReadonlySet<string> = new Set(Object.keys(CHILD_FACTS));

/** Where the meta has a field that is one of uwf's facts about a child, and cannot be what uwf puts there. */
export function conflictsIn(meta: Schema, isMap: boolean): readonly string[] {
  return Object.entries(isMap ? MAP_FACTS : CHILD_FACTS).flatMap(([name, { type, values }]) => {
    const { conjuncts, impossible } = gather(meta, propertiesOf(appliedTo(meta, meta)).get(name) ?? true);
    if (!impossible && conjuncts.every((schema) => admits(schema, type, values))) return [];
    const wanted = values === null ? `of type ${type}` : `one of ${values.join(", ")}`;
    const message = `the field ${name} is what uwf says of the child, ${wanted}`;
    return [`${message}: declare it so, or give yours another name`];
  });
}

function admits(schema: Schema, type: string, values: readonly string[] | null): boolean {
  const types = statedTypes(schema);
  if (types.length > 0 && !types.includes(type) && !(type === "integer" && types.includes("number")))
    return false;
  const listed = listedValues([schema]);
  if (listed === null) return true;
  return listed.some((value) =>
    values === null ? typeName(value) === type : values.some((each) => each === value),
  );
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return Number.isInteger(value) ? "integer" : typeof value;
}

type Made = { readonly ast: AstNode; readonly places: Places };

/**
 * What is certainly wrong with the objects that an expression makes. `each`: it makes the items of `results`; `null` where
 * meta says nothing about them.
 */
export function checkMade(made: Made, meta: Schema, each: boolean): readonly ExpressionProblem[] {
  const schema = each ? itemsOf(meta) : meta;
  if (schema === null) return [];
  return resultsOf(made.ast).flatMap((node) => checkResult(made, node, schema, each ? new Set() : FACTS));
}

function itemsOf(meta: Schema): Schema | null {
  const results = propertiesOf([meta]).get("results");
  return isObject(results) && isObject(results.items) ? results.items : null;
}

/** The nodes that the expression's value may come from. */
function resultsOf(node: AstNode): readonly AstNode[] {
  const last = node.type === "block" ? node.expressions?.at(-1) : undefined;
  if (last !== undefined) return resultsOf(last);
  if (node.type !== "condition") return [node];
  return [node.then, node.else].flatMap((branch) => (branch === undefined ? [] : resultsOf(branch)));
}

function checkResult(
  { places }: Made,
  node: AstNode,
  schema: Schema,
  added: ReadonlySet<string>,
): readonly ExpressionProblem[] {
  const kind = kindOf(node);
  const at = places.startOf(node);
  if (kind !== null && kind !== "object")
    return [
      problemAt(
        "error",
        "invalid",
        at,
        `it makes ${ARTICLES[kind]}, but an output is an object, as in { 'note': steps[-1].output.note }`,
      ),
    ];
  const pairs = pairsOf(node);
  if (pairs === null) return [];
  const names = pairs.map(([key]) => (key.type === "string" ? String(key.value) : null));
  const known = names.filter((name) => name !== null);
  const declared = declaredFields(schema);
  // A computed name may turn out to be any name.
  const needed = known.length < names.length ? [] : textsAt(schema, "required");
  const missing = needed.filter(
    (name) => !known.includes(name) && !(added.has(name) && declared.includes(name)),
  );
  const lacks = missing.map((name) =>
    problemAt("error", "invalid", at, `it makes no field ${name}, which meta requires`),
  );
  const wrong = pairs.flatMap(([key, value]) => {
    if (key.type !== "string") return [];
    const name = String(key.value);
    if (added.has(name) && declared.includes(name)) {
      const message = `the field ${name} is what uwf says of the child, so this one is left out`;
      return [problemAt("error", "invalid", places.startOf(key), message)];
    }
    if (isClosed(schema) && !declared.includes(name)) return [unknown(places.startOf(key), name, declared)];
    const reason = mismatch(value, propertiesOf([schema]).get(name));
    return reason === null
      ? []
      : [problemAt("error", "invalid", places.startOf(value), `the field ${name} ${reason}`)];
  });
  return [...lacks, ...wrong];
}

function unknown(offset: number, name: string, declared: readonly string[]): ExpressionProblem {
  const meant = suggest(name, declared);
  const message = `meta has no field ${name}, so it is left out${declared.length === 0 ? "" : `; its fields: ${declared.join(", ")}`}`;
  return problemAt("error", "unknown-field", offset, message, meant);
}

/** Whether the fields that it declares are all it keeps. */
function isClosed(schema: Schema): boolean {
  const open = ["patternProperties", "if", "$dynamicRef", "dependentSchemas"];
  const allows = schema.additionalProperties ?? schema.unevaluatedProperties ?? false;
  return isObject(schema.properties) && allows === false && !open.some((key) => Object.hasOwn(schema, key));
}

type Kind = "string" | "number" | "boolean" | "null" | "array" | "object";

const ARTICLES: Readonly<Record<Kind, string>> = {
  string: "a text",
  number: "a number",
  boolean: "true or false",
  null: "null",
  array: "a list",
  object: "an object",
};

const COMPARISONS: ReadonlySet<unknown> = new Set(["=", "!=", "<", "<=", ">", ">=", "and", "or", "in"]);
const ARITHMETIC: ReadonlySet<unknown> = new Set(["+", "-", "*", "/", "%"]);

const GIVES: Readonly<Record<string, Kind>> = {
  ...{ count: "number", sum: "number", average: "number", length: "number", number: "number" },
  ...{ exists: "boolean", not: "boolean", boolean: "boolean", contains: "boolean" },
  ...{ string: "string", join: "string", uppercase: "string", lowercase: "string", replace: "string" },
};

/** The type that the node's value has if it has one; `null`: any. */
function kindOf(node: AstNode): Kind | null {
  if (node.predicate !== undefined || "group" in node) return null;
  if (node.type === "string" || node.type === "number") return node.type;
  if (node.type === "value") return node.value === null ? "null" : "boolean";
  if (node.type === "unary") return UNARY[String(node.value)] ?? null;
  if (node.type === "binary") {
    if (COMPARISONS.has(node.value)) return "boolean";
    if (ARITHMETIC.has(node.value)) return "number";
    return node.value === "&" ? "string" : null;
  }
  const called = node.type === "function" ? String(node.procedure?.value) : "";
  return Object.hasOwn(GIVES, called) ? (GIVES[called] ?? null) : null;
}

const UNARY: Readonly<Record<string, Kind>> = { "-": "number", "[": "array", "{": "object" };

type Pair = readonly [AstNode, AstNode];

/** The keys and values of an object as it is written; `null` for anything else. */
function pairsOf(node: AstNode): readonly Pair[] | null {
  const { lhs } = node as { readonly lhs?: unknown };
  return node.type === "unary" && node.value === "{" && Array.isArray(lhs) ? (lhs as readonly Pair[]) : null;
}

/** Why a value certainly does not fit its field. */
function mismatch(value: AstNode, schema: JsonValue | undefined): string | null {
  const kind = kindOf(value);
  if (!isObject(schema) || kind === null) return null;
  const types = statedTypes(schema);
  const fits = types.includes(kind) || (kind === "number" && types.includes("integer"));
  if (types.length > 0 && !fits) return `is ${ARTICLES[kind]}, but meta wants ${types.join(" or ")}`;
  if (value.type !== "string" && value.type !== "number" && value.type !== "value") return null;
  const allowed = listedValues([schema]);
  if (allowed === null || allowed.some((each) => each === value.value)) return null;
  return `is ${JSON.stringify(value.value)}, but meta allows ${allowed.map((each) => JSON.stringify(each)).join(", ")}`;
}
