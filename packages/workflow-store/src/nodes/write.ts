import {
  CasError,
  computeHash,
  declareTypes,
  type Hash,
  type JsonObject,
  type JsonValue,
  putSchema,
  type Store,
} from "@uncaged/json-cas";
import {
  ANSWER_SCHEMA,
  type AnswerPayload,
  CHUNKED_FILE_SCHEMA,
  CONTENT_SCHEMA,
  type ContentPayload,
  EXTRACTED_SESSION_SCHEMA,
  type ExtractedSessionPayload,
  FILE_CHUNK_SCHEMA,
  FILE_SCHEMA,
  JOIN_SCHEMA,
  type JoinPayload,
  PLAYED_WORKFLOW_SCHEMA,
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

export const SCHEMA = {
  workflow: WORKFLOW_SCHEMA,
  playedWorkflow: PLAYED_WORKFLOW_SCHEMA,
  startNode: START_NODE_SCHEMA,
  stepNode: STEP_NODE_SCHEMA,
  content: CONTENT_SCHEMA,
  answer: ANSWER_SCHEMA,
  reactSession: REACT_SESSION_SCHEMA,
  extractedSession: EXTRACTED_SESSION_SCHEMA,
  reactTurn: REACT_TURN_SCHEMA,
  reactToolCall: REACT_TOOL_CALL_SCHEMA,
  file: FILE_SCHEMA,
  chunkedFile: CHUNKED_FILE_SCHEMA,
  fileChunk: FILE_CHUNK_SCHEMA,
  join: JOIN_SCHEMA,
} as const;

/**
 * The types of our nodes. Constants, because every process needs them and schemas never change within a storage
 * format; a test compares them with the schemas.
 */
export const TYPE = {
  workflow: "1HMT7KFTYQX5H" as Hash,
  playedWorkflow: "8W5SXWTBHAMGB" as Hash,
  startNode: "1ACG42ARBBGGM" as Hash,
  stepNode: "48PJ12JC509YP" as Hash,
  content: "016K8DJZ2QPQ8" as Hash,
  answer: "8WJ3ZA8YHYXK4" as Hash,
  reactSession: "4QHFKNYC6XMS8" as Hash,
  extractedSession: "2QQ43G6EVWRMW" as Hash,
  reactTurn: "78KDFX8Q5DHDQ" as Hash,
  reactToolCall: "DMWA54KB46E0X" as Hash,
  file: "6NVJGNS9Z48E0" as Hash,
  chunkedFile: "4ZDRYVFBG5YVF" as Hash,
  fileChunk: "3MDY18ZKPYXXY" as Hash,
  join: "7G98W3R48R0KY" as Hash,
} as const;

/** Few threads need one: their schemas come with the first node. */
const RARE: readonly string[] = ["file", "chunkedFile", "fileChunk", "join"];

/** Stores the schemas of a thread's nodes that the store does not have yet, but not the rare ones. */
export async function ensureTypes(store: Store): Promise<void> {
  await ensure(
    store,
    NAMES.filter((name) => !RARE.includes(name)),
  );
}

type Name = keyof typeof SCHEMA;

const NAMES = Object.keys(SCHEMA) as readonly Name[];

declareTypes(NAMES.map((name) => [TYPE[name], SCHEMA[name]]));

async function ensure(store: Store, names: readonly Name[]): Promise<void> {
  for (const name of names) if (!store.has(TYPE[name])) await putSchema(store, SCHEMA[name]);
}

// Every writer returns the hash of a durable node, or throws `CasError`; if it throws, nothing was written.

export function putWorkflow(store: Store, workflow: WorkflowPayload): Promise<Ref<WorkflowPayload>> {
  const { type, payload } = storedWorkflow(workflow);
  return put(store, type, payload);
}

/** A workflow that says of no role who plays it has the older type, and its hash. */
export function storedWorkflow(workflow: WorkflowPayload): {
  readonly type: Hash;
  readonly payload: JsonObject;
} {
  const roles = Object.entries(workflow.roles);
  if (roles.some(([, { agent }]) => agent !== null)) return { type: TYPE.playedWorkflow, payload: workflow };
  const plain = roles.map(([name, { agent: _, ...role }]) => [name, role]);
  return { type: TYPE.workflow, payload: { ...workflow, roles: Object.fromEntries(plain) } };
}

export function putAnswer(store: Store, payload: AnswerPayload): Promise<Ref<AnswerPayload>> {
  return put(store, TYPE.answer, payload);
}

export function putStart(store: Store, payload: StartNodePayload): Promise<Ref<StartNodePayload>> {
  return put(store, TYPE.startNode, payload);
}

/** The hash that such a start has, stored or not. */
export function hashOfStart(payload: StartNodePayload): Hash {
  return computeHash(TYPE.startNode, payload);
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

export function putJoin(store: Store, payload: JoinPayload): Promise<Ref<JoinPayload>> {
  return put(store, TYPE.join, payload);
}

/** Whatever its type; the writers above say which payload belongs to which. */
export async function put(store: Store, type: Hash, payload: JsonValue): Promise<Hash> {
  try {
    return await store.put(type, payload);
  } catch (error) {
    // The first node of this type: store the types, then retry. Only this put pays, as no other checks for
    // its type.
    if (!(error instanceof CasError) || error.fault.code !== "UNKNOWN_TYPE") throw error;
    await ensure(store, NAMES);
    return store.put(type, payload);
  }
}
