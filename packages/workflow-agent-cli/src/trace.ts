import {
  isObject,
  isSessionId,
  type SessionFacts,
  type ToolCallFacts,
  type TurnFacts,
  type Why,
} from "@uncaged/workflow-agent-kit";

/** One JSON object of a CLI's output, unchecked. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** The common events of all CLIs: an adapter emits them, the trace collects them. */
export type AgentEvent =
  | { readonly kind: "session"; readonly id: string }
  | { readonly kind: "model"; readonly name: string }
  /**
   * The following events belong to the model call with this id; `null` begins a new one. Without this event a new one
   * begins with the first text after a tool result.
   */
  | { readonly kind: "turn"; readonly id: string | null }
  /** Input of the model other than tool results. */
  | { readonly kind: "input"; readonly text: string }
  /** `delta`: the next chunk of a text; else a complete text. */
  | { readonly kind: "text"; readonly text: string; readonly delta: boolean }
  /** `at`, here and below: epoch ms; `null`: unknown. */
  | {
      readonly kind: "tool-call";
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      readonly at: number | null;
    }
  | {
      readonly kind: "tool-result";
      readonly id: string;
      readonly result: string;
      readonly durationMs: number | null;
      readonly at: number | null;
    }
  /** A call that was denied, reported before or not. */
  | {
      readonly kind: "tool-refused";
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
    }
  /** Of this one model call. */
  | { readonly kind: "tokens"; readonly tokens: Tokens }
  /** Of the whole process or of the whole session, see the adapter's `usageScope`. */
  | { readonly kind: "usage"; readonly tokens: Tokens }
  /** The reason if the run fails; not a failure by itself. */
  | { readonly kind: "notice"; readonly text: string }
  /** `why`: if the CLI gives more than the text of `reason`. */
  | { readonly kind: "failed"; readonly reason: string; readonly why?: Why }
  /** The CLI retries: earlier failures no longer count. */
  | { readonly kind: "recovered" }
  /** The terminal record of a success; `null`: the text is that of the last model call. */
  | { readonly kind: "done"; readonly text: string | null };

/** `input` includes cached tokens, `output` includes reasoning; a cost of `null` is unknown. */
export type Tokens = { readonly input: number; readonly output: number; readonly costUsd: number | null };

/** Everything that one process of a CLI reported. */
export type Trace = {
  readonly sessionId: string | null;
  readonly model: string | null;
  readonly turns: readonly TurnFacts[];
  /** The last total, else the sum over the model calls that reported theirs. */
  readonly usage: SessionFacts["usage"];
  readonly text: string;
  /** Whether the terminal record of a success came. */
  readonly done: boolean;
  /** Why it failed, as the CLI says; `null`: it reported no failure. */
  readonly failed: string | null;
  /** The kind of that failure, if reported. */
  readonly why: Why | null;
  readonly notice: string | null;
};

// Gate: a CLI's output becomes typed here. Unknown members are ignored, since versions only add.

/** The JSON object in a line; `null`: a warning, a banner, a truncated line. */
export function recordIn(line: string): JsonRecord | null {
  if (!line.trimStart().startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The member as an object; empty if it is not one. */
export function inner(record: JsonRecord, name: string): JsonRecord {
  const value = record[name];
  return isObject(value) ? value : {};
}

export function list(record: JsonRecord, name: string): readonly JsonRecord[] {
  const value = record[name];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function text(record: JsonRecord, name: string): string | null {
  const value = record[name];
  return typeof value === "string" ? value : null;
}

/** A count; `null` if it is not a valid one. */
export function count(record: JsonRecord, name: string): number | null {
  const value = record[name];
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** A value as the trace keeps it: text unchanged, anything else as JSON. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** A tool's result: text, or the texts in a list of parts. */
export function resultText(content: unknown): string {
  if (!Array.isArray(content)) return asText(content);
  const parts: readonly unknown[] = content;
  return parts
    .map((part) => (isObject(part) ? (text(part, "text") ?? asText(part)) : asText(part)))
    .join("\n");
}

/** Epoch ms of an ISO date; `null` if invalid. */
export function timeOf(record: JsonRecord): number | null {
  const at = Date.parse(text(record, "timestamp") ?? "");
  return Number.isNaN(at) ? null : at;
}

// What adapters report most; nothing where the value is missing.

export function session(id: string | null): readonly AgentEvent[] {
  return id === null ? [] : [{ kind: "session", id }];
}

export function model(name: string | null): readonly AgentEvent[] {
  return name === null ? [] : [{ kind: "model", name }];
}

export function used(kind: "tokens" | "usage", tokens: Tokens | null): readonly AgentEvent[] {
  return tokens === null ? [] : [{ kind, tokens }];
}

/** A complete text. */
export function said(words: string | null): readonly AgentEvent[] {
  return words === null ? [] : [{ kind: "text", text: words, delta: false }];
}

export function toolCall(
  id: string | null,
  name: string | null,
  given: unknown,
  at: number | null = null,
): AgentEvent {
  return { kind: "tool-call", id: id ?? "", name: name ?? "", arguments: asText(given), at };
}

export function toolResult(
  id: string | null,
  result: string,
  { durationMs = null, at = null }: { readonly durationMs?: number | null; readonly at?: number | null } = {},
): AgentEvent {
  return { kind: "tool-result", id: id ?? "", result, durationMs, at };
}

/** `null` if input or output is unknown. A cost of 0 for many tokens means an unknown price, not a free model. */
export function tokensOf(input: number | null, output: number | null, costUsd: number | null): Tokens | null {
  if (input === null || output === null) return null;
  return { input, output, costUsd: costUsd === 0 && input + output > 0 ? null : costUsd };
}

/** `null`: there are none. The cost of all is known only if each one is. */
export function sumOf(all: readonly Tokens[]): Tokens | null {
  if (all.length === 0) return null;
  const costs = all.map(({ costUsd }) => costUsd);
  return {
    input: all.reduce((sum, { input }) => sum + input, 0),
    output: all.reduce((sum, { output }) => sum + output, 0),
    costUsd: costs.includes(null) ? null : costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
  };
}

type Usage = SessionFacts["usage"];

export function usageOf(tokens: Tokens | null): Usage {
  if (tokens === null) return null;
  const { input, output, costUsd } = tokens;
  return { inputTokens: input, outputTokens: output, totalTokens: input + output, costUsd };
}

/** What was used between two totals of a session; `null`: one is unknown, or the session counts anew. */
export function usageBetween(before: Tokens | null, after: Tokens | null): Usage {
  if (before === null || after === null) return null;
  const [input, output] = [after.input - before.input, after.output - before.output];
  const cost = after.costUsd === null || before.costUsd === null ? null : after.costUsd - before.costUsd;
  const costUsd = cost === null || cost < 0 ? null : cost;
  return input < 0 || output < 0 ? null : usageOf({ input, output, costUsd });
}

type Call = { -readonly [Name in keyof ToolCallFacts]: ToolCallFacts[Name] } & {
  readonly startedAt: number | null;
};

type Turn = {
  readonly id: string | null;
  readonly input: string;
  output: string;
  readonly calls: Map<string, Call>;
  tokens: Tokens | null;
  /** A tool result has come: unless the CLI says otherwise, a new turn follows. */
  answered: boolean;
};

type Received = {
  sessionId: string | null;
  model: string | null;
  readonly turns: Turn[];
  current: Turn | null;
  /** The input of the next turn. */
  given: string[];
  whole: Tokens | null;
  failed: string | null;
  why: Why | null;
  notice: string | null;
  done: { readonly text: string | null } | null;
};

export type Listener = {
  readonly hear: (event: AgentEvent) => void;
  readonly hasHeard: () => boolean;
  /** Whether the terminal record of a success came, and no failure after it. */
  readonly isDone: () => boolean;
  readonly trace: () => Trace;
};

/** Collects the events of one process with the prompt `prompt` into turns. */
export function listen(prompt: string): Listener {
  const received: Received = {
    sessionId: null,
    model: null,
    turns: [],
    current: null,
    given: [prompt],
    whole: null,
    failed: null,
    why: null,
    notice: null,
    done: null,
  };
  let heardAny = false;
  return {
    hear: (event) => {
      heardAny = true;
      take(received, event);
    },
    hasHeard: () => heardAny,
    isDone: () => received.done !== null && received.failed === null,
    trace: () => traceOf(received),
  };
}

function take(heard: Received, event: AgentEvent): void {
  switch (event.kind) {
    case "session":
      if (isSessionId(event.id)) heard.sessionId = event.id;
      return;
    case "model":
      heard.model = event.name;
      return;
    case "turn":
      heard.current = turnOf(heard, event.id) ?? begin(heard, event.id);
      return;
    case "input":
      heard.given.push(event.text);
      return;
    case "usage":
      heard.whole = event.tokens;
      return;
    case "notice":
      heard.notice = event.text;
      return;
    case "failed":
      heard.failed = event.reason;
      heard.why = event.why ?? null;
      return;
    case "recovered":
      heard.failed = null;
      heard.why = null;
      return;
    case "done":
      heard.done = event;
      return;
    case "tool-result":
      answer(heard, event);
      return;
    case "tool-refused":
      refuse(heard, event);
      return;
    default:
      takeInTurn(heard, event);
  }
}

type Result = Extract<AgentEvent, { readonly kind: "tool-result" }>;

type InTurn = Extract<AgentEvent, { readonly kind: "text" | "tool-call" | "tokens" }>;

function takeInTurn(heard: Received, event: InTurn): void {
  const turn = event.kind === "tokens" ? (heard.current ?? begin(heard, null)) : current(heard);
  if (event.kind === "tokens") turn.tokens = event.tokens;
  else if (event.kind === "text") turn.output += joint(turn.output, event.delta) + event.text;
  else call(turn, event);
}

function joint(before: string, delta: boolean): string {
  return delta || before === "" ? "" : "\n\n";
}

/** A call can be reported twice, when it begins and when it ends. */
function call(turn: Turn, event: Extract<InTurn, { readonly kind: "tool-call" }>): void {
  const known = turn.calls.get(event.id);
  if (known !== undefined) {
    if (event.arguments !== "") known.arguments = event.arguments;
    return;
  }
  const { name, arguments: given, at } = event;
  turn.calls.set(event.id, { name, arguments: given, result: "", durationMs: null, startedAt: at });
}

function answer(heard: Received, event: Result): void {
  const turn = heard.turns.findLast(({ calls }) => calls.has(event.id));
  const asked = turn?.calls.get(event.id);
  if (turn === undefined || asked === undefined) return;
  asked.result = event.result;
  asked.durationMs = event.durationMs ?? between(asked.startedAt, event.at);
  turn.answered = true;
  heard.given.push(event.result);
}

/** Denials come at the end of a run: a call that was not reported before belongs to the last turn. */
function refuse(heard: Received, event: Extract<AgentEvent, { readonly kind: "tool-refused" }>): void {
  const { id, name, arguments: given } = event;
  const turn = heard.turns.findLast(({ calls }) => calls.has(id)) ?? heard.current ?? begin(heard, null);
  const known = turn.calls.get(id);
  const result = ["refused: no permission", known?.result ?? ""].filter((text) => text !== "").join("\n");
  if (known !== undefined) known.result = result;
  else turn.calls.set(id, { name, arguments: given, result, durationMs: null, startedAt: null });
}

function between(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : Math.max(0, to - from);
}

function current(heard: Received): Turn {
  const { current: last } = heard;
  return last === null || (last.id === null && last.answered) ? begin(heard, null) : last;
}

/** Turns of subagents are interleaved. */
function turnOf({ turns }: Received, id: string | null): Turn | null {
  return id === null ? null : (turns.findLast((turn) => turn.id === id) ?? null);
}

/** If more events come after the end, it was not the end. */
function begin(heard: Received, id: string | null): Turn {
  const input = heard.given.join("\n\n");
  const turn: Turn = { id, input, output: "", calls: new Map(), tokens: null, answered: false };
  heard.given = [];
  heard.done = null;
  heard.turns.push(turn);
  heard.current = turn;
  return turn;
}

function traceOf(heard: Received): Trace {
  const { sessionId, model, turns, current: last, whole, failed, why, notice, done } = heard;
  const tokens = whole ?? sumOf(turns.flatMap((turn) => turn.tokens ?? []));
  return {
    sessionId,
    model,
    turns: turns.map(factsOf),
    usage: usageOf(tokens),
    text: done?.text ?? last?.output ?? "",
    done: done !== null,
    failed,
    why,
    notice,
  };
}

function factsOf({ input, output, calls, tokens }: Turn): TurnFacts {
  return {
    input,
    output,
    toolCalls: [...calls.values()].map(({ startedAt: _, ...facts }) => facts),
    tokens: tokens === null ? null : { input: tokens.input, output: tokens.output },
    latencyMs: null,
  };
}
