import { type CasNode, isHash, isObject, type JsonObject, type JsonValue } from "@uncaged/json-cas";
import {
  CHUNKED_FILE_SCHEMA,
  CONTENT_SCHEMA,
  err,
  FILE_CHUNK_SCHEMA,
  FILE_SCHEMA,
  LIMITS,
  ok,
  PLAYED_WORKFLOW_SCHEMA,
  type Result,
  ROLE_NAME,
  type Schema,
  START_NODE_SCHEMA,
  STEP_NODE_SCHEMA,
  type StartNodePayload,
  WORKFLOW_SCHEMA,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import { isWorkflowName } from "../ids.js";

// Gate: a payload from the store becomes typed here. Its hash says that the bytes are the written ones, its type
// which schema they claim; that the writer checked them against it is not known of a foreign writer.
//
// On the path of every step a schema validator is too slow: our own schemas use few keywords, and each becomes a function
// once. It gives the first thing that is wrong, or `null`; its place is put together only then, on the way out.

export type Gate<T> = (node: CasNode) => Result<T, string>;

/** What is wrong, and where: `roles.developer.goal`; "" is the value itself. */
type Wrong = { readonly at: string; readonly what: string };

/** Checks one value. */
type Check = (value: unknown) => Wrong | null;

/** By type: what it is called, and whether a value is one. */
const SCALARS: Readonly<Record<string, readonly [words: string, is: (value: unknown) => boolean]>> = {
  string: ["a text", (value) => typeof value === "string"],
  number: ["a number", (value) => typeof value === "number"],
  integer: ["a whole number", (value) => Number.isSafeInteger(value)],
  boolean: ["true or false", (value) => typeof value === "boolean"],
};

/** Further fields pass: a newer uwf may have written them. */
function checkOf(schema: JsonObject): Check {
  const { type, format, anyOf, items, properties, additionalProperties } = schema;
  if (Array.isArray(schema.enum)) return oneOf(schema.enum);
  if (Array.isArray(anyOf)) return anyOfThese(anyOf.filter(isObject));
  if (format === "cas_ref") return (value) => (isHash(value) ? null : wrong(value, "a hash"));
  if (type === "array") return isObject(items) ? listOf(checkOf(items)) : () => null;
  if (type === "object" && isObject(properties)) return fields(properties);
  if (type === "object")
    return mapOf(isObject(additionalProperties) ? checkOf(additionalProperties) : () => null);
  return scalar(schema);
}

function scalar({ type, minimum, exclusiveMinimum, pattern }: JsonObject): Check {
  const [words, is] = SCALARS[String(type)] ?? ["null", (value: unknown) => value === null];
  const least = typeof minimum === "number" ? minimum : Number.NEGATIVE_INFINITY;
  const above = typeof exclusiveMinimum === "number" ? exclusiveMinimum : Number.NEGATIVE_INFINITY;
  const form = typeof pattern === "string" ? new RegExp(pattern) : null;
  return (value) => {
    if (!is(value)) return wrong(value, words);
    if (typeof value === "number" && value < least) return wrong(value, `at least ${least}`);
    if (typeof value === "number" && value <= above) return wrong(value, `more than ${above}`);
    return typeof value === "string" && form?.test(value) === false ? wrong(value, `like ${pattern}`) : null;
  };
}

function oneOf(values: readonly JsonValue[]): Check {
  return (value) => (values.some((each) => each === value) ? null : wrong(value, values.join(" or ")));
}

/** Of objects, the one whose fields are there says what is wrong. */
function anyOfThese(schemas: readonly JsonObject[]): Check {
  const isNullable = schemas.some(({ type }) => type === "null");
  const [otherwise, ...others] = schemas
    .filter(({ type }) => type !== "null")
    .map((schema) => ({
      names: Object.keys(isObject(schema.properties) ? schema.properties : {}),
      check: checkOf(schema),
    }));
  return (value) => {
    if (isNullable && value === null) return null;
    const meant = others.find(
      ({ names }) => isObject(value) && names.every((name) => Object.hasOwn(value, name)),
    );
    return (meant ?? otherwise)?.check(value) ?? null;
  };
}

function listOf(check: Check): Check {
  return (value) => (Array.isArray(value) ? first(value.entries(), check) : wrong(value, "a list"));
}

function mapOf(check: Check): Check {
  return (value) => (isObject(value) ? first(Object.entries(value), check) : wrong(value, "a map"));
}

function fields(properties: JsonObject): Check {
  const members = Object.entries(properties).flatMap(([name, schema]) =>
    isObject(schema) ? [[name, checkOf(schema)] as const] : [],
  );
  return (value) => {
    if (!isObject(value)) return wrong(value, "a map");
    for (const [name, check] of members) {
      const problem = check(Object.hasOwn(value, name) ? value[name] : undefined);
      if (problem !== null) return inside(name, problem);
    }
    return null;
  };
}

function first(entries: Iterable<readonly [string | number, unknown]>, check: Check): Wrong | null {
  for (const [key, value] of entries) {
    const problem = check(value);
    if (problem !== null) return inside(String(key), problem);
  }
  return null;
}

function wrong(value: unknown, expected: string): Wrong {
  return { at: "", what: value === undefined ? "is missing" : `is not ${expected}` };
}

function inside(name: string, { at, what }: Wrong): Wrong {
  return { at: at === "" ? name : `${name}.${at}`, what };
}

/** Puts what is wrong into words: `roles.developer.goal is missing`. */
function wordsOf({ at, what }: Wrong): string {
  return `${at === "" ? "the payload" : at} ${what}`;
}

/** `further`: what the schema cannot say without being another type. */
function gate<T extends JsonValue>(
  schema: Schema<T>,
  further: (payload: T) => Wrong | null = () => null,
): Gate<T> {
  let check: Check | null = null;
  return ({ payload }) => {
    // A process reads few kinds of nodes.
    check ??= checkOf(schema);
    const problem = check(payload) ?? further(payload as T);
    return problem === null ? ok(payload as T) : err(wordsOf(problem));
  };
}

/** The characters alone: the bytes of 4 MiB would have to be counted. */
function longPrompt({ prompt }: StartNodePayload): Wrong | null {
  return prompt.length > LIMITS.prompt
    ? { at: "prompt", what: `is longer than ${LIMITS.prompt} characters` }
    : null;
}

// Names become parts of file names, words of command lines, and what a shell completes: a file with others is refused by
// `workflow put`, and a node by this.

type Named = Pick<WorkflowPayload, "name"> & { readonly roles: Readonly<Record<string, unknown>> };

function strangeName({ name, roles }: Named): Wrong | null {
  if (!isWorkflowName(name)) return { at: "name", what: "is not the name of a workflow" };
  const strange = Object.keys(roles).find((role) => !ROLE_NAME.test(role));
  if (strange === undefined) return null;
  return { at: "roles", what: `has a role without the name of one: ${JSON.stringify(strange.slice(0, 64))}` };
}

function strangeChild(workflow: WorkflowPayload): Wrong | null {
  for (const [role, { agent }] of Object.entries(workflow.roles)) {
    if (agent === null || !("workflow" in agent)) continue;
    const { name } = agent.workflow;
    if (!isHash(name) && !isWorkflowName(name))
      return { at: `roles.${role}.agent.workflow.name`, what: "is not the name of a workflow, or a hash" };
  }
  return null;
}

/** As the older type says it: no role has a player. Both types are one shape from here on. */
const asPlain = gate(WORKFLOW_SCHEMA, strangeName);

export const asWorkflow: Gate<WorkflowPayload> = (node) => {
  const plain = asPlain(node);
  if (!plain.ok) return plain;
  const roles = Object.entries(plain.value.roles).map(
    ([name, role]) => [name, { ...role, agent: null }] as const,
  );
  return ok({ ...plain.value, roles: Object.fromEntries(roles) });
};

export const asPlayedWorkflow = gate(
  PLAYED_WORKFLOW_SCHEMA,
  (workflow) => strangeName(workflow) ?? strangeChild(workflow),
);
export const asStart = gate(START_NODE_SCHEMA, longPrompt);
export const asStep = gate(STEP_NODE_SCHEMA);
export const asContent = gate(CONTENT_SCHEMA);
export const asFile = gate(FILE_SCHEMA);
export const asChunkedFile = gate(CHUNKED_FILE_SCHEMA);
export const asFileChunk = gate(FILE_CHUNK_SCHEMA);
