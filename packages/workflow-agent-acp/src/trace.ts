import { isObject, type SessionFacts, type ToolCallFacts, type TurnFacts } from "@uncaged/workflow-agent-kit";
import { amountOf, type Fields, fieldsOf, listOf, shown, textOf } from "./connection.js";

/** A tool call, from the updates so far. */
export type ToolCall = {
  readonly id: string;
  readonly name: string;
  readonly kind: string | null;
  readonly title: string;
  readonly arguments: unknown;
  /** Every path and every input named in any of its updates. */
  readonly locations: readonly string[];
  readonly inputs: readonly unknown[];
  readonly content: readonly Fields[];
  readonly rawOutput: unknown;
  readonly failed: boolean;
  /** Why it was rejected; `null`: it was allowed, or the agent did not ask. */
  readonly refusal: string | null;
  /** Its characters that are kept, roughly. */
  readonly size: number;
  readonly startedAt: number;
  /** `null` while it is running. */
  readonly endedAt: number | null;
};

/** The course of one prompt, collected from the agent's updates. */
export type Trace = {
  /** Takes one `update` of a session/update; unknown ones are ignored. */
  readonly update: (update: Fields) => void;
  readonly toolCall: (id: string) => ToolCall | null;
  /** Keeps a call that was rejected, with the reason. */
  readonly refuse: (toolCall: Fields, reason: string) => void;
  /** Whether a tool is running. */
  readonly busy: () => boolean;
  /** Characters kept so far. */
  readonly size: () => number;
  /** The last message with text; earlier ones are in the turns. */
  readonly text: () => string;
  readonly turns: () => readonly TurnFacts[];
  /** The session's cost so far, if the agent reports it in US dollars. */
  readonly costUsd: () => number | null;
};

export type OwnAnswer = Trace & {
  /** Whether the last update belongs to an old prompt: then the start of the new answer is unknown. */
  readonly isHistory: () => boolean;
};

export type { ToolCallFacts, TurnFacts };

/** One answer of the model: thoughts, text and calls. */
type Turn = { thoughts: string; said: string; plan: string; readonly calls: Map<string, ToolCall> };

/** A piece of text that the agent sent as one message. */
type Message = { readonly id: string | null; text: string };

type State = {
  turns: Turn[];
  messages: Message[];
  /** Whether the next chunk without an id begins a new message. */
  sealed: boolean;
  size: number;
  costUsd: number | null;
};

/**
 * Collects one prompt's updates. The protocol has messages and tool calls, but no turns: a new turn begins with the
 * text, thoughts or calls that follow a message or finished tool calls.
 *
 * Some adapters send their warnings as messages of the agent; a message without an id ends where something else
 * happens, so that a warning and the answer stay apart.
 */
export function createTrace(
  prompt: string,
  now: () => number,
): Trace & {
  /** Forgets what came so far. */
  readonly restart: () => void;
} {
  const state = newState();
  const calls = (): readonly ToolCall[] => state.turns.flatMap((turn) => [...turn.calls.values()]);
  return {
    update: (update) => HANDLERS.get(update.sessionUpdate)?.(state, update, now),
    toolCall: (id) => calls().findLast((call) => call.id === id) ?? null,
    refuse: (toolCall, reason) => refuse(state, toolCall, reason, now()),
    // A model that speaks again has its results: calls that were never reported as finished are over.
    busy: () => [...(state.turns.at(-1)?.calls.values() ?? [])].some((call) => call.endedAt === null),
    size: () => state.size,
    text: () => state.messages.findLast(({ text }) => text.trim() !== "")?.text ?? "",
    turns: () => turnsOf(state.turns, prompt),
    costUsd: () => state.costUsd,
    restart: () => void Object.assign(state, newState()),
  };
}

function newState(): State {
  return { turns: [], messages: [], sealed: false, size: 0, costUsd: null };
}

type Handler = (state: State, update: Fields, now: () => number) => void;

const HANDLERS: ReadonlyMap<unknown, Handler> = new Map<unknown, Handler>([
  [
    "agent_message_chunk",
    (state, { messageId, content }) => say(state, textOf(messageId), blockText(fieldsOf(content))),
  ],
  ["agent_thought_chunk", (state, { content }) => think(state, blockText(fieldsOf(content)))],
  ["tool_call", (state, update, now) => call(state, update, now())],
  ["tool_call_update", (state, update, now) => call(state, update, now())],
  ["plan", plan],
  [
    "usage_update",
    (state, { cost }) => {
      state.sealed = true;
      state.costUsd = costIn(cost) ?? state.costUsd;
    },
  ],
]);

function say(state: State, id: string | null, text: string): void {
  if (text === "") return;
  state.size += text.length;
  const last = state.messages.at(-1);
  if (last !== undefined && isSame(last, id, state.sealed)) {
    last.text += text;
    lastTurn(state).said += text;
  } else {
    state.messages.push({ id, text });
    const turn = lastTurn(state);
    (turn.said === "" && turn.calls.size === 0 ? turn : newTurn(state)).said = text;
  }
  state.sealed = false;
}

function isSame(last: Message, id: string | null, sealed: boolean): boolean {
  return id !== null && last.id !== null ? id === last.id : !sealed;
}

function think(state: State, text: string): void {
  state.size += text.length;
  const turn = lastTurn(state);
  (turn.calls.size === 0 ? turn : newTurn(state)).thoughts += text;
}

function call(state: State, update: Fields, now: number): void {
  const id = textOf(update.toolCallId);
  if (id === null) return;
  state.sealed = true;
  const known = state.turns.findLast(({ calls }) => calls.has(id));
  // Some agents count their calls anew in each turn.
  const earlier = known?.calls.get(id);
  const isOver = earlier?.endedAt !== null && earlier?.refusal === null;
  const again = update.sessionUpdate === "tool_call" && isOver;
  const turn = known === undefined || again ? turnForCall(state) : known;
  const before = turn.calls.get(id) ?? newCall(id, now);
  const after = changedCall(before, update, now);
  state.size += after.size - before.size;
  turn.calls.set(id, after);
}

function refuse(state: State, toolCall: Fields, reason: string, now: number): void {
  call(state, toolCall, now);
  const id = textOf(toolCall.toolCallId);
  const turn = state.turns.findLast(({ calls }) => id !== null && calls.has(id));
  const known = id === null ? undefined : turn?.calls.get(id);
  if (id === null || known === undefined) return;
  state.size += reason.length;
  turn?.calls.set(id, { ...known, refusal: reason, failed: true, endedAt: known.endedAt ?? now });
}

/** A call belongs to the turn whose calls are still running: a model that has their results is in its next turn. */
function turnForCall(state: State): Turn {
  const turn = lastTurn(state);
  const over = turn.calls.size > 0 && [...turn.calls.values()].every(({ endedAt }) => endedAt !== null);
  return over ? newTurn(state) : turn;
}

function plan(state: State, { entries }: Fields): void {
  const text = planText(entries);
  state.size += text.length;
  state.sealed = true;
  lastTurn(state).plan = text;
}

function lastTurn(state: State): Turn {
  return state.turns.at(-1) ?? newTurn(state);
}

function newTurn({ turns }: State): Turn {
  const turn: Turn = { thoughts: "", said: "", plan: "", calls: new Map() };
  turns.push(turn);
  return turn;
}

function costIn(cost: unknown): number | null {
  const { amount, currency } = fieldsOf(cost);
  return currency === "USD" ? amountOf(amount) : null;
}

/** The model's input: the prompt, then in each turn its tools' results. */
function turnsOf(turns: readonly Turn[], prompt: string): readonly TurnFacts[] {
  let input = prompt;
  return turns.map((turn) => {
    const toolCalls = [...turn.calls.values()].map(callFacts);
    const facts = { input, output: outputOf(turn), toolCalls, tokens: null, latencyMs: null };
    input = toolCalls.map(({ result }) => result).join("\n\n");
    return facts;
  });
}

function outputOf({ thoughts, plan: steps, said }: Turn): string {
  const parts = [
    thoughts.trim() === "" ? "" : `<thinking>\n${thoughts}\n</thinking>`,
    steps === "" ? "" : `<plan>\n${steps}\n</plan>`,
    said,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/**
 * The trace of a prompt in a loaded session. Some agents are still replaying the history when the new prompt is sent:
 * everything before the echo of this prompt, or after the echo of another one, is history.
 */
export function ownAnswer(prompt: string, now: () => number): OwnAnswer {
  const trace = createTrace(prompt, now);
  let echo = "";
  let isHistory = false;
  return {
    ...trace,
    update: (update) => {
      if (update.sessionUpdate === "user_message_chunk") {
        echo += blockText(fieldsOf(update.content));
        trace.restart();
        isHistory = !squeezed(echo).includes(squeezed(prompt));
        return;
      }
      if (SAYS_SOMETHING.has(update.sessionUpdate)) echo = "";
      if (!isHistory) trace.update(update);
    },
    isHistory: () => isHistory,
  };
}

/** The trace of a prompt without replayed history: every update belongs to it. */
export function onlyAnswer(prompt: string, now: () => number): OwnAnswer {
  return { ...createTrace(prompt, now), isHistory: () => false };
}

/** Updates between two prompts; an echo may come in chunks. */
const SAYS_SOMETHING: ReadonlySet<unknown> = new Set([
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call",
  "tool_call_update",
  "plan",
]);

function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

type Usage = NonNullable<SessionFacts["usage"]>;

/**
 * The `usage` of a prompt's result; `null` if there is none. Cached tokens count as input, thoughts as output. The
 * protocol counts these separately; for an agent that includes them the total shows it.
 */
export function usageOf(reported: unknown, costUsd: number | null): Usage | null {
  if (!isObject(reported)) return null;
  const input = amountOf(reported.inputTokens);
  const output = amountOf(reported.outputTokens);
  if (input === null || output === null) return null;
  const total = amountOf(reported.totalTokens);
  const cached = (amountOf(reported.cachedReadTokens) ?? 0) + (amountOf(reported.cachedWriteTokens) ?? 0);
  const thought = amountOf(reported.thoughtTokens) ?? 0;
  const apart = total === null ? null : total - input - output;
  const inputTokens = input + (apart === 0 || apart === thought ? 0 : cached);
  const outputTokens = output + (apart === 0 || apart === cached ? 0 : thought);
  return { inputTokens, outputTokens, totalTokens: total ?? inputTokens + outputTokens, costUsd };
}

/** A content block as text; for one without text its type. */
export function blockText(block: Fields): string {
  if (block.type === "text") return textOf(block.text) ?? "";
  if (block.type === "resource_link") return textOf(block.uri) ?? textOf(block.name) ?? "";
  const resource = fieldsOf(block.resource);
  return textOf(resource.text) ?? textOf(resource.uri) ?? `[${textOf(block.type) ?? "something"}]`;
}

/**
 * The result of a tool: the raw output if it is text. If it is an agent-specific object: its text, else the text shown
 * for it, else the whole object.
 */
function resultText(content: readonly Fields[], rawOutput: unknown): string {
  const raw = typeof rawOutput === "string" ? rawOutput : textOf(fieldsOf(rawOutput).output);
  if (raw !== null) return raw;
  const parts = content.map(partText).filter((text) => text !== "");
  return parts.length > 0 ? parts.join("\n") : shown(rawOutput);
}

function partText(part: Fields): string {
  if (part.type === "content") return isObject(part.content) ? blockText(part.content) : "";
  if (part.type !== "diff") return "";
  const lines = (text: unknown, mark: string): string =>
    textOf(text)?.replace(/^/gm, mark).concat("\n") ?? "";
  return `${textOf(part.path) ?? ""}\n${lines(part.oldText, "-")}${lines(part.newText, "+")}`;
}

/** The steps of a plan, one per line. */
function planText(entries: unknown): string {
  return listOf(entries)
    .map((entry) => `[${textOf(entry.status) ?? "pending"}] ${textOf(entry.content) ?? ""}`)
    .join("\n");
}

function newCall(id: string, now: number): ToolCall {
  return {
    id,
    name: "",
    kind: null,
    title: "",
    arguments: null,
    locations: [],
    inputs: [],
    content: [],
    rawOutput: null,
    failed: false,
    refusal: null,
    size: 0,
    startedAt: now,
    endedAt: null,
  };
}

/** Merges a tool_call or tool_call_update into the call; omitted fields stay as they were. */
function changedCall(call: ToolCall, update: Fields, now: number): ToolCall {
  const kind = textOf(update.kind) ?? call.kind;
  const title = textOf(update.title) ?? call.title;
  const name = toolName(update);
  const paths = listOf(update.locations).flatMap(({ path }) => textOf(path) ?? []);
  const inputs = inputsWith(call.inputs, update.rawInput);
  const ended = update.status === "completed" || update.status === "failed";
  return {
    ...call,
    // The first title is the tool's name; later ones describe the call.
    name: name ?? (call.name === "" ? nameOf(title, kind) : call.name),
    kind,
    title,
    arguments: isEmpty(update.rawInput) ? call.arguments : update.rawInput,
    locations: [...new Set([...call.locations, ...paths])],
    inputs,
    content: Array.isArray(update.content) ? listOf(update.content) : call.content,
    rawOutput: update.rawOutput ?? call.rawOutput,
    failed: ended ? update.status === "failed" : call.failed,
    // Agents resend a growing output: the last one counts.
    size: shown(update).length + (inputs === call.inputs ? 0 : shown(inputs).length),
    endedAt: ended ? (call.endedAt ?? now) : call.endedAt,
  };
}

/** Each input once: agents repeat it in every update. */
function inputsWith(inputs: readonly unknown[], input: unknown): readonly unknown[] {
  if (isEmpty(input) || shown(inputs.at(-1)) === shown(input)) return inputs;
  return [...inputs, input];
}

/** Some adapters report the tool's name outside of the protocol: `_meta.claudeCode.toolName`. */
function toolName(update: Fields): string | null {
  const names = Object.values(fieldsOf(update._meta)).map((one) => textOf(fieldsOf(one).toolName));
  return names.find((name) => name !== null && name !== "") ?? null;
}

/** A title of one word is a name (`bash`), another is a sentence about this call. */
function nameOf(title: string, kind: string | null): string {
  if (/^[\w.:/-]{1,64}$/.test(title)) return title;
  return kind !== null && kind !== "other" ? kind : title.slice(0, 64);
}

function callFacts(call: ToolCall): ToolCallFacts {
  const resultLines = resultText(call.content, call.rawOutput);
  const result = [call.refusal ?? "", resultLines].filter((text) => text !== "").join("\n");
  return {
    name: call.name === "" ? "tool" : call.name,
    arguments: shown(call.arguments) || call.title,
    result: call.failed && result === "" ? "failed" : result,
    durationMs: call.endedAt === null ? null : Math.max(0, call.endedAt - call.startedAt),
  };
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return isObject(value) && Object.keys(value).length === 0;
}
