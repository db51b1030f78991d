import {
  type CasNode,
  type Hash,
  isHash,
  isObject,
  type JsonObject,
  type JsonValue,
} from "@uncaged/json-cas";
import {
  type ChunkedFilePayload,
  type ContentPayload,
  err,
  type FileChunkPayload,
  type FilePayload,
  LIMITS,
  ok,
  type Result,
  ROLE_NAME,
  type StartNodePayload,
  type StepNodePayload,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import { isWorkflowName } from "../ids.js";
import { TYPE } from "./write.js";

// A schema says that a field holds a reference, not to what: our own types are listed here, by field, for a reference
// or a list of them. In the schemas they would make other types of them.

type FieldTypes = ReadonlyMap<string, Hash>;

// extracted session ─ extract → session, and what a session has
// session ─ prompt, raw → content
//         └ turns → turn ─ input, output → content
//                        └ toolCalls → tool call ─ arguments, result → content

const SESSION = [
  ["prompt", TYPE.content],
  ["raw", TYPE.content],
  ["turns", TYPE.reactTurn],
] as const;

/** What the fields of a detail's nodes lead to. */
export const DETAIL_FIELDS: ReadonlyMap<Hash, FieldTypes> = new Map<Hash, FieldTypes>([
  [TYPE.reactSession, new Map(SESSION)],
  [TYPE.extractedSession, new Map([...SESSION, ["extract", TYPE.reactSession]])],
  [
    TYPE.answer,
    new Map([
      ["question", TYPE.content],
      ["raw", TYPE.content],
    ]),
  ],
  [
    TYPE.reactTurn,
    new Map([
      ["input", TYPE.content],
      ["output", TYPE.content],
      ["toolCalls", TYPE.reactToolCall],
    ]),
  ],
  [
    TYPE.reactToolCall,
    new Map([
      ["arguments", TYPE.content],
      ["result", TYPE.content],
    ]),
  ],
]);

/** Common to all of our types. */
export const FIELD_TYPES: ReadonlyMap<Hash, FieldTypes> = new Map([
  ...DETAIL_FIELDS,
  [
    TYPE.stepNode,
    new Map([
      ["start", TYPE.startNode],
      ["prev", TYPE.stepNode],
    ]),
  ],
  [TYPE.startNode, new Map([["workflow", TYPE.workflow]])],
  [TYPE.chunkedFile, new Map([["chunks", TYPE.fileChunk]])],
]);

/** Whether a node is what a field asks for: there are two types of workflows. */
export function isOfType(type: Hash, expected: Hash): boolean {
  return type === expected || (expected === TYPE.workflow && type === TYPE.playedWorkflow);
}

// Cheap checks of a payload's shape, on the path of every step, where a schema validator is too slow. They give the
// first thing that is wrong, or `null`; its place is put together only then, on the way out.

/** What is wrong, and where: `roles.developer.goal`; "" is the value itself. */
type Wrong = { readonly at: string; readonly what: string };

/** Checks one value. */
type Shape = (value: unknown) => Wrong | null;

type Fields = Readonly<Record<string, Shape>>;

const text: Shape = (value) => (typeof value === "string" ? null : wrong(value, "a text"));

/** The characters alone: the bytes of 4 MiB would have to be counted. */
const prompt: Shape = (value) =>
  typeof value === "string" && value.length > LIMITS.prompt
    ? { at: "", what: `is longer than ${LIMITS.prompt} characters` }
    : text(value);

// Names become parts of file names, words of command lines, and what a shell completes: a file with others is refused by
// `workflow put`, and a node by this.

const workflowName: Shape = (value) =>
  typeof value === "string" && isWorkflowName(value) ? null : wrong(value, "the name of a workflow");

const childName: Shape = (value) =>
  isHash(value) || (typeof value === "string" && isWorkflowName(value))
    ? null
    : wrong(value, "the name of a workflow, or a hash");

const ref: Shape = (value) => (isHash(value) ? null : wrong(value, "a hash"));

const positive: Shape = (value) =>
  typeof value === "number" && value > 0 ? null : wrong(value, "a positive number");

const truth: Shape = (value) => (typeof value === "boolean" ? null : wrong(value, "true or false"));

function orNull(shape: Shape): Shape {
  return (value) => (value === null ? null : shape(value));
}

function listOf(shape: Shape): Shape {
  return (value) => (Array.isArray(value) ? first(value.entries(), shape) : wrong(value, "a list"));
}

function mapOf(shape: Shape): Shape {
  return (value) => (isObject(value) ? first(Object.entries(value), shape) : wrong(value, "a map"));
}

function rolesOf(role: Fields): Shape {
  const roles = mapOf(fields(role));
  return (value) => {
    const strange = isObject(value) ? Object.keys(value).find((name) => !ROLE_NAME.test(name)) : undefined;
    return strange === undefined
      ? roles(value)
      : { at: "", what: `has a role without the name of one: ${short(strange)}` };
  };
}

function short(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}

function fields(shapes: Fields): Shape {
  const members = Object.entries(shapes);
  return (value) => {
    if (!isObject(value)) return wrong(value, "a map");
    for (const [name, shape] of members) {
      const problem = shape(Object.hasOwn(value, name) ? value[name] : undefined);
      if (problem !== null) return inside(name, problem);
    }
    return null;
  };
}

/** Puts what is wrong into words: `roles.developer.goal is missing`. */
function wordsOf({ at, what }: Wrong): string {
  return `${at === "" ? "the payload" : at} ${what}`;
}

function first(entries: Iterable<readonly [string | number, unknown]>, shape: Shape): Wrong | null {
  for (const [key, value] of entries) {
    const problem = shape(value);
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

// Gate: a payload from the store becomes typed here. Its hash says that the bytes are the written ones, its type
// which schema they claim; that the writer checked them against it is not known of a foreign writer.

const ROLE: Fields = {
  description: text,
  goal: text,
  capabilities: listOf(text),
  procedure: text,
  output: text,
  meta: ref,
};

function workflowOf(role: Fields): Shape {
  return fields({
    name: workflowName,
    description: text,
    roles: rolesOf(role),
    conditions: mapOf(fields({ description: text, expression: text })),
    graph: mapOf(listOf(fields({ role: text, condition: orNull(text) }))),
  });
}

const HUMAN = fields({ timeoutSeconds: orNull(positive), default: orNull(mapOf(() => null)) });

const CHILD = fields({
  name: childName,
  each: orNull(text),
  jobs: positive,
  partial: truth,
  output: orNull(text),
  prompt: text,
});

const player: Shape = (value) =>
  isObject(value) && Object.hasOwn(value, "workflow")
    ? fields({ workflow: CHILD })(value)
    : fields({ human: HUMAN })(value);

const START = fields({ workflow: ref, prompt });

const STEP = fields({ start: ref, prev: orNull(ref), role: text, output: ref, detail: ref, agent: text });

const CONTENT = fields({ text });

/** As the older type says it: no role has a player. Both types are one shape from here on. */
const asPlain = gate<JsonObject & { readonly roles: Readonly<Record<string, JsonObject>> }>(workflowOf(ROLE));

export const asWorkflow: Gate<WorkflowPayload> = (node) => {
  const plain = asPlain(node);
  if (!plain.ok) return plain;
  const roles = Object.entries(plain.value.roles).map(([name, role]) => [name, { ...role, agent: null }]);
  return ok({ ...plain.value, roles: Object.fromEntries(roles) } as unknown as WorkflowPayload);
};

export const asPlayedWorkflow = gate<WorkflowPayload>(workflowOf({ ...ROLE, agent: orNull(player) }));

const size: Shape = (value) => (Number.isSafeInteger(value) ? null : wrong(value, "a whole number"));

const encoding: Shape = (value) =>
  value === "utf8" || value === "base64" ? null : wrong(value, "utf8 or base64");

const ABOUT_FILE: Fields = { name: text, mediaType: text, size, sha256: text };

const FILE = fields({ ...ABOUT_FILE, encoding, data: text });

export const asStart = gate<StartNodePayload>(START);
export const asStep = gate<StepNodePayload>(STEP);
export const asContent = gate<ContentPayload>(CONTENT);
export const asFile = gate<FilePayload>(FILE);
export const asChunkedFile = gate<ChunkedFilePayload>(fields({ ...ABOUT_FILE, chunks: listOf(ref) }));
export const asFileChunk = gate<FileChunkPayload>(fields({ data: text }));

export type Gate<T> = (node: CasNode) => Result<T, string>;

function gate<T extends JsonValue>(shape: Shape): Gate<T> {
  return ({ payload }) => {
    const problem = shape(payload);
    return problem === null ? ok(payload as T) : err(wordsOf(problem));
  };
}
