import type { JsonObject } from "@uncaged/json-cas";
import type { CasRef, Ref } from "./ids.js";
import type { WorkflowPayload } from "./workflow.js";

// Every schema is closed. Their hashes are part of the storage format: a changed schema is another type.

const TEXT = { type: "string" } as const;
const REF = { type: "string", format: "cas_ref" } as const;
const COUNT = { type: "integer", minimum: 0 } as const;

function closed(title: string, properties: JsonObject): JsonObject {
  return { title, ...closedObject(properties) };
}

function closedObject(properties: JsonObject): JsonObject {
  return {
    type: "object",
    required: Object.keys(properties),
    properties,
    additionalProperties: false,
  };
}

function orNull(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: "null" }] };
}

function listOf(items: JsonObject): JsonObject {
  return { type: "array", items };
}

function mapOf(additionalProperties: JsonObject): JsonObject {
  return { type: "object", additionalProperties };
}

const ROLE = {
  description: TEXT,
  goal: TEXT,
  capabilities: listOf(TEXT),
  procedure: TEXT,
  output: TEXT,
  meta: REF,
};

function workflowOf(role: JsonObject): JsonObject {
  return closed("Workflow", {
    name: TEXT,
    description: TEXT,
    roles: mapOf(closedObject(role)),
    conditions: mapOf(closedObject({ description: TEXT, expression: TEXT })),
    graph: mapOf(listOf(closedObject({ role: TEXT, condition: orNull(TEXT) }))),
  });
}

/** A workflow all of whose roles are played by configured agents. */
export const WORKFLOW_SCHEMA = workflowOf(ROLE);

const HUMAN = closedObject({
  timeoutSeconds: orNull({ type: "number", exclusiveMinimum: 0 }),
  default: orNull({ type: "object" }),
});

const CHILD = closedObject({
  name: TEXT,
  each: orNull(TEXT),
  jobs: { type: "integer", minimum: 1 },
  partial: { type: "boolean" },
  output: orNull(TEXT),
  prompt: { enum: ["role", "task"] },
});

const PLAYER = {
  anyOf: [closedObject({ human: HUMAN }), closedObject({ workflow: CHILD }), { type: "null" }],
};

/** A workflow that says of some roles who plays them. */
export const PLAYED_WORKFLOW_SCHEMA = workflowOf({ ...ROLE, agent: PLAYER });

export const START_NODE_SCHEMA = closed("StartNode", { workflow: REF, prompt: TEXT });

export const STEP_NODE_SCHEMA = closed("StepNode", {
  start: REF,
  prev: orNull(REF),
  role: TEXT,
  output: REF,
  detail: REF,
  agent: TEXT,
});

export const CONTENT_SCHEMA = closed("content", { text: TEXT });

/** The detail of a step that a person answered. */
export const ANSWER_SCHEMA = closed("answer", {
  by: TEXT,
  at: COUNT,
  via: TEXT,
  question: REF,
  raw: REF,
  askedAt: COUNT,
  timedOut: { type: "boolean" },
});

/** The detail of a step that several child threads have done: how each ended, in the order of the items. */
export const JOIN_SCHEMA = closed("join", {
  children: listOf(closedObject({ head: REF, outcome: TEXT })),
});

const SESSION = {
  agent: TEXT,
  role: TEXT,
  sessionId: orNull(TEXT),
  cwd: orNull(TEXT),
  model: orNull(TEXT),
  prompt: REF,
  turns: listOf(REF),
  raw: REF,
  usage: orNull(
    closedObject({
      inputTokens: COUNT,
      outputTokens: COUNT,
      totalTokens: COUNT,
      costUsd: orNull({ type: "number", minimum: 0 }),
    }),
  ),
  startedAt: COUNT,
  durationMs: COUNT,
};

export const REACT_SESSION_SCHEMA = closed("react-session", SESSION);

export const EXTRACTED_SESSION_SCHEMA = closed("extracted-session", { ...SESSION, extract: REF });

export const REACT_TURN_SCHEMA = closed("react-turn", {
  input: REF,
  output: REF,
  toolCalls: listOf(REF),
  tokens: orNull(closedObject({ input: COUNT, output: COUNT })),
  latencyMs: orNull(COUNT),
});

export const REACT_TOOL_CALL_SCHEMA = closed("react-tool-call", {
  name: TEXT,
  arguments: REF,
  result: REF,
  durationMs: orNull(COUNT),
});

export const FILE_SCHEMA = closed("file", {
  name: TEXT,
  mediaType: TEXT,
  size: COUNT,
  sha256: { type: "string", pattern: "^[0-9a-f]{64}$" },
  encoding: { enum: ["utf8", "base64"] },
  data: TEXT,
});

/** A file that is too large for one node. */
export const CHUNKED_FILE_SCHEMA = closed("file", {
  name: TEXT,
  mediaType: TEXT,
  size: COUNT,
  sha256: { type: "string", pattern: "^[0-9a-f]{64}$" },
  chunks: listOf(REF),
});

export const FILE_CHUNK_SCHEMA = closed("file-chunk", { data: TEXT });

export type StartNodePayload = {
  readonly workflow: Ref<WorkflowPayload>;
  readonly prompt: string;
};

/** What one finished step says, as stored in its node. */
export type StepRecord = {
  readonly role: string;
  /** A node whose type is the role's `meta`. */
  readonly output: CasRef;
  /** What happened inside: a react-session (or an extracted-session), an answer, a content node, a child thread's last StepNode, or a join of several. */
  readonly detail: CasRef;
  /** What the agent's author called it; a record, not verified. */
  readonly agent: string;
};

export type StepNodePayload = StepRecord & {
  readonly start: Ref<StartNodePayload>;
  /** `null` on the first step. */
  readonly prev: Ref<StepNodePayload> | null;
};

export type ContentPayload = { readonly text: string };

export type AnswerPayload = {
  /** Who answered, as they say themselves; `nobody`: the role's default, after its timeout. A record, no proof. */
  readonly by: string;
  /** Epoch ms. */
  readonly at: number;
  /** `field`, `file`, `edit`, or `default`. */
  readonly via: string;
  readonly question: Ref<ContentPayload>;
  readonly raw: Ref<ContentPayload>;
  /** Epoch ms at which the thread came to the question. */
  readonly askedAt: number;
  readonly timedOut: boolean;
};

export type JoinPayload = {
  readonly children: readonly {
    /** Its newest StepNode, or its StartNode. */
    readonly head: CasRef;
    readonly outcome: "end" | "failed" | "killed";
  }[];
};

/** A file of any kind, as it was. */
export type FilePayload = {
  /** Without its folder. */
  readonly name: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** Of the bytes, hexadecimal. */
  readonly sha256: string;
  /** How `data` writes the bytes: UTF-8 text without NUL as it is, everything else as base64. */
  readonly encoding: "utf8" | "base64";
  readonly data: string;
};

/** A large file: its bytes are those of its chunks, one after the other. */
export type ChunkedFilePayload = Omit<FilePayload, "encoding" | "data"> & {
  readonly chunks: readonly Ref<FileChunkPayload>[];
};

export type FileChunkPayload = {
  /** Base64. */
  readonly data: string;
};

/** Tokens and money of one run; `costUsd` is `null` if the agent does not report it. */
export type Usage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly costUsd: number | null;
};

/** What an agent does not report is `null`, never 0. */
export type ReactSessionPayload = {
  readonly agent: string;
  readonly role: string;
  readonly sessionId: string | null;
  readonly cwd: string | null;
  readonly model: string | null;
  readonly prompt: Ref<ContentPayload>;
  readonly turns: readonly Ref<ReactTurnPayload>[];
  readonly raw: Ref<ContentPayload>;
  readonly usage: Usage | null;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly durationMs: number;
};

/** A session whose output was extracted by a model: `extract` is that model's session. */
export type ExtractedSessionPayload = ReactSessionPayload & { readonly extract: Ref<ReactSessionPayload> };

export type ReactTurnPayload = {
  readonly input: Ref<ContentPayload>;
  readonly output: Ref<ContentPayload>;
  readonly toolCalls: readonly Ref<ReactToolCallPayload>[];
  readonly tokens: { readonly input: number; readonly output: number } | null;
  readonly latencyMs: number | null;
};

export type ReactToolCallPayload = {
  readonly name: string;
  readonly arguments: Ref<ContentPayload>;
  readonly result: Ref<ContentPayload>;
  readonly durationMs: number | null;
};
