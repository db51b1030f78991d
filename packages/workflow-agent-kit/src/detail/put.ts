import type { Store } from "@uncaged/json-cas";
import type {
  CasRef,
  ReactSessionPayload,
  ReactToolCallPayload,
  ReactTurnPayload,
  Ref,
} from "@uncaged/workflow-protocol";
import { putContent, putReactSession, putReactToolCall, putReactTurn } from "@uncaged/workflow-store";
import type { SessionFacts, ToolCallFacts, TurnFacts } from "../author/index.js";
import { storableText } from "./text.js";
import type { RunFacts } from "./types.js";

/** Stores what happened inside the step: the session, its turns and tool calls, every text as a node of its own. */
export async function putDetail(store: Store, facts: RunFacts): Promise<CasRef> {
  const { agent, role, session, prompt, raw, startedAt, durationMs } = facts;
  return putReactSession(store, {
    agent,
    role,
    ...storableNames(session),
    prompt: await putText(store, prompt),
    turns: await inOrder(session.turns, (turn) => putTurn(store, turn)),
    raw: await putText(store, raw),
    usage: session.usage,
    startedAt,
    durationMs,
  });
}

function storableNames({
  sessionId,
  cwd,
  model,
}: SessionFacts): Pick<ReactSessionPayload, "sessionId" | "cwd" | "model"> {
  const orNull = (text: string | null): string | null => (text === null ? null : storableText(text));
  return { sessionId: orNull(sessionId), cwd: orNull(cwd), model: orNull(model) };
}

export function putText(store: Store, text: string): ReturnType<typeof putContent> {
  return putContent(store, storableText(text));
}

async function putTurn(store: Store, turn: TurnFacts): Promise<Ref<ReactTurnPayload>> {
  return putReactTurn(store, {
    input: await putText(store, turn.input),
    output: await putText(store, turn.output),
    toolCalls: await inOrder(turn.toolCalls, (call) => putToolCall(store, call)),
    tokens: turn.tokens,
    latencyMs: turn.latencyMs,
  });
}

async function putToolCall(store: Store, call: ToolCallFacts): Promise<Ref<ReactToolCallPayload>> {
  return putReactToolCall(store, {
    name: storableText(call.name),
    arguments: await putText(store, call.arguments),
    result: await putText(store, call.result),
    durationMs: call.durationMs,
  });
}

async function inOrder<T, U>(items: readonly T[], put: (item: T) => Promise<U>): Promise<readonly U[]> {
  const stored: U[] = [];
  for (const item of items) stored.push(await put(item));
  return stored;
}
