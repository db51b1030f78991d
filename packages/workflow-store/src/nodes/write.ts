import { CasError, type Hash, type JsonValue, putSchema, type Store } from "@uncaged/json-cas";
import {
  CONTENT_SCHEMA,
  type ContentPayload,
  EXTRACTED_SESSION_SCHEMA,
  type ExtractedSessionPayload,
  REACT_SESSION_SCHEMA,
  REACT_TOOL_CALL_SCHEMA,
  REACT_TURN_SCHEMA,
  type ReactSessionPayload,
  type ReactToolCallPayload,
  type ReactTurnPayload,
  type Ref,
  START_NODE_SCHEMA,
  STEP_NODE_SCHEMA,
  type StartNodePayload,
  type StepNodePayload,
  WORKFLOW_SCHEMA,
  type WorkflowPayload,
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

// Every writer returns the hash of a durable node, or throws `CasError`; if it throws, nothing was written.

export function putWorkflow(store: Store, payload: WorkflowPayload): Promise<Ref<WorkflowPayload>> {
  return put(store, TYPE.workflow, payload);
}

export function putStart(store: Store, payload: StartNodePayload): Promise<Ref<StartNodePayload>> {
  return put(store, TYPE.startNode, payload);
}

export function putStep(store: Store, payload: StepNodePayload): Promise<Ref<StepNodePayload>> {
  return put(store, TYPE.stepNode, payload);
}

export function putContent(store: Store, text: string): Promise<Ref<ContentPayload>> {
  return put(store, TYPE.content, { text });
}

export function putReactSession(
  store: Store,
  payload: ReactSessionPayload,
): Promise<Ref<ReactSessionPayload>> {
  return put(store, TYPE.reactSession, payload);
}

export function putExtractedSession(
  store: Store,
  payload: ExtractedSessionPayload,
): Promise<Ref<ExtractedSessionPayload>> {
  return put(store, TYPE.extractedSession, payload);
}

export function putReactTurn(store: Store, payload: ReactTurnPayload): Promise<Ref<ReactTurnPayload>> {
  return put(store, TYPE.reactTurn, payload);
}

export function putReactToolCall(
  store: Store,
  payload: ReactToolCallPayload,
): Promise<Ref<ReactToolCallPayload>> {
  return put(store, TYPE.reactToolCall, payload);
}

async function put(store: Store, type: Hash, payload: JsonValue): Promise<Hash> {
  try {
    return await store.put(type, payload);
  } catch (error) {
    // Nobody has put one of this type before. Every other put is spared a look whether the type is there.
    if (!(error instanceof CasError) || error.fault.code !== "UNKNOWN_TYPE") throw error;
    await ensureTypes(store);
    return store.put(type, payload);
  }
}
