import { computeHash, type Hash, META_SCHEMA_HASH, putSchema, type Store } from "@uncaged/json-cas";
import {
  CONTENT_SCHEMA,
  REACT_SESSION_SCHEMA,
  REACT_TOOL_CALL_SCHEMA,
  REACT_TURN_SCHEMA,
  START_NODE_SCHEMA,
  STEP_NODE_SCHEMA,
  WORKFLOW_SCHEMA,
} from "@uncaged/workflow-protocol";

const SCHEMA = {
  workflow: WORKFLOW_SCHEMA,
  startNode: START_NODE_SCHEMA,
  stepNode: STEP_NODE_SCHEMA,
  content: CONTENT_SCHEMA,
  reactSession: REACT_SESSION_SCHEMA,
  reactTurn: REACT_TURN_SCHEMA,
  reactToolCall: REACT_TOOL_CALL_SCHEMA,
} as const;

function typeOf(name: keyof typeof SCHEMA): Hash {
  return computeHash(META_SCHEMA_HASH, SCHEMA[name]);
}

/** The types of our nodes, computed: knowing them needs no store. */
export const TYPE = {
  workflow: typeOf("workflow"),
  startNode: typeOf("startNode"),
  stepNode: typeOf("stepNode"),
  content: typeOf("content"),
  reactSession: typeOf("reactSession"),
  reactTurn: typeOf("reactTurn"),
  reactToolCall: typeOf("reactToolCall"),
} as const;

/** Stores the schemas of our nodes that the store does not have yet. */
export async function ensureTypes(store: Store): Promise<void> {
  for (const schema of Object.values(SCHEMA)) {
    if (!store.has(computeHash(META_SCHEMA_HASH, schema))) await putSchema(store, schema);
  }
}
