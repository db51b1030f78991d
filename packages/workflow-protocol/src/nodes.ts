import { isObject, type JsonObject, type JsonValue } from "@uncaged/json-cas";
import type { CasRef, Ref } from "./ids.js";

// Each node is one schema, and its type follows from it. Every schema is closed. Their hashes are part of the storage
// format: a changed schema is another type.

declare const valid: unique symbol;

/** A JSON Schema, and the type of what it takes. */
export type Schema<T> = JsonObject & { readonly [valid]?: T };

type Properties = Readonly<Record<string, JsonObject>>;

type ValuesOf<P extends Properties> = { readonly [Key in keyof P]: ValueOf<P[Key]> };

/** What a schema takes. */
type ValueOf<S> = S extends Schema<infer T> ? T : never;

const TEXT: Schema<string> = { type: "string" };
const COUNT: Schema<number> = { type: "integer", minimum: 0 };
const TRUTH: Schema<boolean> = { type: "boolean" };
const SHA256: Schema<string> = { type: "string", pattern: "^[0-9a-f]{64}$" };

/** To a node of any kind. */
const ANY: Schema<CasRef> = { type: "string", format: "cas_ref" };

/** Of each reference to nodes of one kind their schema: in the reference's own schema it would make another type. */
const TARGETS = new WeakMap<JsonObject, JsonObject>();

/** A reference to a node of that schema. */
function ref<T>(target: Schema<T>): Schema<Ref<T>> {
  const schema = { ...ANY } as Schema<Ref<T>>;
  TARGETS.set(schema, target);
  return schema;
}

/** The fields of a node that refer to nodes of one kind, one node or a list of them, each with the schema of these nodes. */
export function referenceFields({ properties = {} }: JsonObject): ReadonlyMap<string, JsonObject> {
  const fields = Object.entries(properties as Readonly<Record<string, JsonObject>>);
  return new Map(
    fields.flatMap(([name, field]) => {
      const inside = [field, field.items, ...((field.anyOf ?? []) as readonly JsonValue[])];
      return inside.filter(isObject).flatMap((each) => {
        const target = TARGETS.get(each);
        return target === undefined ? [] : [[name, target] as const];
      });
    }),
  );
}

function closed<P extends Properties>(title: string, properties: P): Schema<ValuesOf<P>> {
  return { title, ...closedObject(properties) };
}

function closedObject<P extends Properties>(properties: P): Schema<ValuesOf<P>> {
  return {
    type: "object",
    required: Object.keys(properties),
    properties,
    additionalProperties: false,
  };
}

function orNull<T>(schema: Schema<T>): Schema<T | null> {
  return { anyOf: [schema, { type: "null" }] };
}

function listOf<T>(items: Schema<T>): Schema<readonly T[]> {
  return { type: "array", items };
}

function mapOf<T>(additionalProperties: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return { type: "object", additionalProperties };
}

function oneOf<T extends JsonValue>(...values: readonly T[]): Schema<T> {
  return { enum: values };
}

const ROLE = {
  description: TEXT,
  goal: TEXT,
  capabilities: listOf(TEXT),
  procedure: TEXT,
  output: TEXT,
  /** The JSON Schema of the role's structured output. */
  meta: ANY,
};

const CONDITION = closedObject({
  description: TEXT,
  /** JSONata over the moderator's context; must give `true` or `false`. */
  expression: TEXT,
});

export type ConditionDefinition = ValueOf<typeof CONDITION>;

const TRANSITION = closedObject({ role: TEXT, condition: orNull(TEXT) });

/** First match wins; `condition: null` always matches; `role` is a role's name, `$END` or `$FAIL`. */
export type Transition = ValueOf<typeof TRANSITION>;

function workflowOf<P extends Properties>(role: P) {
  return closed("Workflow", {
    name: TEXT,
    description: TEXT,
    roles: mapOf(closedObject(role)),
    conditions: mapOf(CONDITION),
    /** For `$START` and every role its transitions in order. */
    graph: mapOf(listOf(TRANSITION)),
  });
}

/** A workflow all of whose roles are played by configured agents. */
export const WORKFLOW_SCHEMA = workflowOf(ROLE);

const HUMAN = closedObject({
  /** Counted from the moment the thread came to its head; `null`: no limit, and no default. */
  timeoutSeconds: orNull<number>({ type: "number", exclusiveMinimum: 0 }),
  /** Satisfies the role's `meta`. */
  default: orNull<JsonObject>({ type: "object" }),
});

/** A person plays the role. After the time limit `default` counts; without one, the thread waits for ever. */
export type HumanPlayer = ValueOf<typeof HUMAN>;

const CHILD = closedObject({
  /** A registered name or a hash. */
  name: TEXT,
  /** `<role>.<path>`: where the list stands in that role's newest output; `null`: one child. */
  each: orNull(TEXT),
  /** Children at a time. */
  jobs: { type: "integer", minimum: 1 } as Schema<number>,
  /** A failed item becomes `null` instead of failing the role. */
  partial: TRUTH,
  /** JSONata over the child's `{start, steps}`; `null`: the fields of its last output. */
  output: orNull(TEXT),
  /** What the child is asked: the role's texts or the thread's task. */
  prompt: oneOf<"role" | "task">("role", "task"),
});

/** Child threads play the role: one, or one for each item of a list. */
export type WorkflowPlayer = ValueOf<typeof CHILD>;

/** Who plays a role, as its workflow says. It names people and workflows, never commands. */
export type RolePlayer = { readonly human: HumanPlayer } | { readonly workflow: WorkflowPlayer };

const PLAYER: Schema<RolePlayer | null> = {
  anyOf: [closedObject({ human: HUMAN }), closedObject({ workflow: CHILD }), { type: "null" }],
};

const PLAYED_ROLE = {
  ...ROLE,
  /** `null` for a role that is played by whatever agent the user has configured. */
  agent: PLAYER,
};

/** A role as stored: `meta` refers to the JSON Schema of the role's structured output. */
export type RoleDefinition = ValuesOf<typeof PLAYED_ROLE>;

/** A workflow that says of some roles who plays them. */
export const PLAYED_WORKFLOW_SCHEMA = workflowOf(PLAYED_ROLE);

/** The workflow as stored in one node; in the older of its two types no role has a player. */
export type WorkflowPayload = ValueOf<typeof PLAYED_WORKFLOW_SCHEMA>;

export const START_NODE_SCHEMA = closed("StartNode", { workflow: ref(PLAYED_WORKFLOW_SCHEMA), prompt: TEXT });

export type StartNodePayload = ValueOf<typeof START_NODE_SCHEMA>;

const RECORD = {
  role: TEXT,
  /** A node whose type is the role's `meta`. */
  output: ANY,
  /** What happened inside: a react-session (or an extracted-session), an answer, a content node, a child thread's last StepNode, or a join of several. */
  detail: ANY,
  /** What the agent's author called it; a record, not verified. */
  agent: TEXT,
};

/** What one finished step says, as stored in its node. */
export type StepRecord = ValuesOf<typeof RECORD>;

/** Written out, because it leads to itself; the schema below is checked against it. */
export type StepNodePayload = StepRecord & {
  readonly start: Ref<StartNodePayload>;
  /** `null` on the first step. */
  readonly prev: Ref<StepNodePayload> | null;
};

const PREV: Schema<Ref<StepNodePayload>> = { ...ANY };

export const STEP_NODE_SCHEMA: Schema<StepNodePayload> = closed("StepNode", {
  start: ref(START_NODE_SCHEMA),
  prev: orNull(PREV),
  ...RECORD,
});

TARGETS.set(PREV, STEP_NODE_SCHEMA);

export const CONTENT_SCHEMA = closed("content", { text: TEXT });

export type ContentPayload = ValueOf<typeof CONTENT_SCHEMA>;

export const ANSWER_SCHEMA = closed("answer", {
  /** Who answered, as they say themselves; `nobody`: the role's default, after its timeout. A record, no proof. */
  by: TEXT,
  /** Epoch ms. */
  at: COUNT,
  /** `field`, `file`, `edit`, or `default`. */
  via: TEXT,
  question: ref(CONTENT_SCHEMA),
  raw: ref(CONTENT_SCHEMA),
  /** Epoch ms at which the thread came to the question. */
  askedAt: COUNT,
  timedOut: TRUTH,
});

/** The detail of a step that a person answered. */
export type AnswerPayload = ValueOf<typeof ANSWER_SCHEMA>;

export const JOIN_SCHEMA = closed("join", {
  children: listOf(
    closedObject({
      /** Its newest StepNode, or its StartNode. */
      head: ANY,
      /** `end`, `failed` or `killed`. */
      outcome: TEXT,
    }),
  ),
});

/** The detail of a step that several child threads have done: how each ended, in the order of the items. */
export type JoinPayload = ValueOf<typeof JOIN_SCHEMA>;

export const REACT_TOOL_CALL_SCHEMA = closed("react-tool-call", {
  name: TEXT,
  arguments: ref(CONTENT_SCHEMA),
  result: ref(CONTENT_SCHEMA),
  durationMs: orNull(COUNT),
});

export type ReactToolCallPayload = ValueOf<typeof REACT_TOOL_CALL_SCHEMA>;

export const REACT_TURN_SCHEMA = closed("react-turn", {
  input: ref(CONTENT_SCHEMA),
  output: ref(CONTENT_SCHEMA),
  toolCalls: listOf(ref(REACT_TOOL_CALL_SCHEMA)),
  tokens: orNull(closedObject({ input: COUNT, output: COUNT })),
  latencyMs: orNull(COUNT),
});

export type ReactTurnPayload = ValueOf<typeof REACT_TURN_SCHEMA>;

const USAGE = closedObject({
  inputTokens: COUNT,
  outputTokens: COUNT,
  totalTokens: COUNT,
  costUsd: orNull<number>({ type: "number", minimum: 0 }),
});

/** Tokens and money of one run; `costUsd` is `null` if the agent does not report it. */
export type Usage = ValueOf<typeof USAGE>;

const SESSION = {
  agent: TEXT,
  role: TEXT,
  sessionId: orNull(TEXT),
  cwd: orNull(TEXT),
  model: orNull(TEXT),
  prompt: ref(CONTENT_SCHEMA),
  turns: listOf(ref(REACT_TURN_SCHEMA)),
  raw: ref(CONTENT_SCHEMA),
  usage: orNull(USAGE),
  /** Epoch ms. */
  startedAt: COUNT,
  durationMs: COUNT,
};

export const REACT_SESSION_SCHEMA = closed("react-session", SESSION);

/** What an agent does not report is `null`, never 0. */
export type ReactSessionPayload = ValueOf<typeof REACT_SESSION_SCHEMA>;

export const EXTRACTED_SESSION_SCHEMA = closed("extracted-session", {
  ...SESSION,
  extract: ref(REACT_SESSION_SCHEMA),
});

/** A session whose output was extracted by a model: `extract` is that model's session. */
export type ExtractedSessionPayload = ValueOf<typeof EXTRACTED_SESSION_SCHEMA>;

const ABOUT_FILE = {
  /** Without its folder. */
  name: TEXT,
  mediaType: TEXT,
  /** Bytes. */
  size: COUNT,
  /** Of the bytes, hexadecimal. */
  sha256: SHA256,
};

export const FILE_SCHEMA = closed("file", {
  ...ABOUT_FILE,
  /** How `data` writes the bytes: UTF-8 text without NUL as it is, everything else as base64. */
  encoding: oneOf<"utf8" | "base64">("utf8", "base64"),
  data: TEXT,
});

/** A file of any kind, as it was. */
export type FilePayload = ValueOf<typeof FILE_SCHEMA>;

export const FILE_CHUNK_SCHEMA = closed("file-chunk", {
  /** Base64. */
  data: TEXT,
});

export type FileChunkPayload = ValueOf<typeof FILE_CHUNK_SCHEMA>;

/** A file that is too large for one node. */
export const CHUNKED_FILE_SCHEMA = closed("file", { ...ABOUT_FILE, chunks: listOf(ref(FILE_CHUNK_SCHEMA)) });

/** A large file: its bytes are those of its chunks, one after the other. */
export type ChunkedFilePayload = ValueOf<typeof CHUNKED_FILE_SCHEMA>;

/** A step with its `output` expanded to the payload. */
export type StepContext = Omit<StepRecord, "output"> & { readonly output: JsonValue };

/** What conditions are evaluated over; steps oldest first. */
export type ModeratorContext = {
  readonly start: StartNodePayload;
  readonly steps: readonly StepContext[];
};
