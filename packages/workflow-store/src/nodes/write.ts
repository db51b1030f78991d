import { CasError, type Hash, type JsonValue, type Store } from "@uncaged/json-cas";
import type {
  ContentPayload,
  ExtractedSessionPayload,
  ReactSessionPayload,
  ReactToolCallPayload,
  ReactTurnPayload,
  Ref,
  StartNodePayload,
  StepNodePayload,
  WorkflowPayload,
} from "@uncaged/workflow-protocol";
import { ensureTypes, TYPE } from "./type-hashes.js";

// Every writer gives the hash of a durable node, or throws `CasError`; nothing is written when it throws.

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
