import type { JsonObject } from "@uncaged/json-cas";

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

export const WORKFLOW_SCHEMA = closed("Workflow", {
  name: TEXT,
  description: TEXT,
  roles: mapOf(
    closedObject({
      description: TEXT,
      goal: TEXT,
      capabilities: listOf(TEXT),
      procedure: TEXT,
      output: TEXT,
      meta: REF,
    }),
  ),
  conditions: mapOf(closedObject({ description: TEXT, expression: TEXT })),
  graph: mapOf(listOf(closedObject({ role: TEXT, condition: orNull(TEXT) }))),
});

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
