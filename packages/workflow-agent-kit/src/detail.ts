import type { Store } from "@uncaged/json-cas";
import {
  type CasRef,
  LIMITS,
  type ReactSessionPayload,
  type ReactToolCallPayload,
  type ReactTurnPayload,
  type Ref,
} from "@uncaged/workflow-protocol";
import { putNode } from "@uncaged/workflow-store";
import type { SessionFacts, ToolCallFacts, TurnFacts } from "./author.js";
import type { ExtractSession } from "./llm/index.js";

/** A text that a content node can hold: no half surrogates, and truncated if a node would grow too large. */
function storableText(text: string): string {
  const cut = text.length > LIMITS.reply / 4 && Buffer.byteLength(text) > LIMITS.reply;
  const kept = cut ? `${text.slice(0, LIMITS.reply / 4)}\n[cut off]` : text;
  return kept.replace(/[\uD800-\uDFFF]/gu, "\ufffd");
}

/** One run of an agent, as it is kept beside its step. */
type RunFacts = {
  readonly agent: string;
  readonly role: string;
  readonly session: SessionFacts;
  /** What the agent was asked; "" when it never looked at its prompt. */
  readonly prompt: string;
  /** Takes keys out of every text. */
  readonly clean: (text: string) => string;
  /** Everything it replied. */
  readonly raw: string;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** What a model did to read the output out of the reply. */
  readonly extract: ExtractSession | null;
};

/** Stores what happened inside the step: the session, its turns and tool calls, each text as its own node. */
export async function putDetail(store: Store, facts: RunFacts): Promise<CasRef> {
  const { agent, role, session, prompt, raw, startedAt, durationMs } = facts;
  const texts: Texts = { store, storable: (text) => storableText(facts.clean(text)) };
  const payload = {
    agent,
    role,
    ...namesIn(texts, session),
    prompt: await put(texts, prompt),
    turns: await inOrder(session.turns, (turn) => putTurn(texts, turn)),
    raw: await put(texts, raw),
    usage: session.usage,
    startedAt,
    durationMs,
  };
  if (facts.extract === null) return putNode(store, "reactSession", payload);
  return putNode(store, "extractedSession", {
    ...payload,
    extract: await putExtract(texts, role, facts.extract),
  });
}

/** The extracting model's own session: its instructions, input and answers. */
async function putExtract(
  texts: Texts,
  role: string,
  { model, prompt, turns, usage, startedAt, durationMs }: ExtractSession,
): Promise<Ref<ReactSessionPayload>> {
  return putNode(texts.store, "reactSession", {
    agent: "extract",
    role,
    ...namesIn(texts, { sessionId: null, cwd: null, model }),
    prompt: await put(texts, prompt),
    turns: await inOrder(turns, (turn) => putTurn(texts, turn)),
    raw: await put(texts, turns.at(-1)?.output ?? ""),
    usage,
    startedAt,
    durationMs,
  });
}

/** Where texts are stored, and what is done to each first. */
type Texts = { readonly store: Store; readonly storable: (text: string) => string };

function namesIn(
  { storable }: Texts,
  { sessionId, cwd, model }: Pick<SessionFacts, "sessionId" | "cwd" | "model">,
): Pick<ReactSessionPayload, "sessionId" | "cwd" | "model"> {
  const orNull = (text: string | null): string | null => (text === null ? null : storable(text));
  return { sessionId: orNull(sessionId), cwd: orNull(cwd), model: orNull(model) };
}

/** Stores one text as a node; the caller has already cleaned it. */
export function putText(store: Store, text: string): Promise<CasRef> {
  return putNode(store, "content", { text: storableText(text) });
}

function put({ store, storable }: Texts, text: string): Promise<CasRef> {
  return putNode(store, "content", { text: storable(text) });
}

async function putTurn(texts: Texts, turn: TurnFacts): Promise<Ref<ReactTurnPayload>> {
  return putNode(texts.store, "reactTurn", {
    input: await put(texts, turn.input),
    output: await put(texts, turn.output),
    toolCalls: await inOrder(turn.toolCalls, (call) => putToolCall(texts, call)),
    tokens: turn.tokens,
    latencyMs: turn.latencyMs,
  });
}

async function putToolCall(texts: Texts, call: ToolCallFacts): Promise<Ref<ReactToolCallPayload>> {
  return putNode(texts.store, "reactToolCall", {
    name: texts.storable(call.name),
    arguments: await put(texts, call.arguments),
    result: await put(texts, call.result),
    durationMs: call.durationMs,
  });
}

async function inOrder<T, U>(items: readonly T[], put: (item: T) => Promise<U>): Promise<readonly U[]> {
  const stored: U[] = [];
  for (const item of items) stored.push(await put(item));
  return stored;
}
