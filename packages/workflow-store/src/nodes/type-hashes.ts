import { type Hash, putSchema, type Store } from "@uncaged/json-cas";
import {
  CONTENT_SCHEMA,
  EXTRACTED_SESSION_SCHEMA,
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
  extractedSession: EXTRACTED_SESSION_SCHEMA,
  reactTurn: REACT_TURN_SCHEMA,
  reactToolCall: REACT_TOOL_CALL_SCHEMA,
} as const;

/**
 * The types of our nodes. Constants, because every process needs them and schemas never change within a storage
 * format; a test compares them with the schemas.
 */
export const TYPE = {
  workflow: "1HMT7KFTYQX5H" as Hash,
  startNode: "1ACG42ARBBGGM" as Hash,
  stepNode: "48PJ12JC509YP" as Hash,
  content: "016K8DJZ2QPQ8" as Hash,
  reactSession: "4QHFKNYC6XMS8" as Hash,
  extractedSession: "2QQ43G6EVWRMW" as Hash,
  reactTurn: "78KDFX8Q5DHDQ" as Hash,
  reactToolCall: "DMWA54KB46E0X" as Hash,
} as const;

/** Stores the schemas of our nodes that the store does not have yet. */
export async function ensureTypes(store: Store): Promise<void> {
  for (const name of NAMES) if (!store.has(TYPE[name])) await putSchema(store, SCHEMA[name]);
}

const NAMES = Object.keys(SCHEMA) as readonly (keyof typeof SCHEMA)[];
