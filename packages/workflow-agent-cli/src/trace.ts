import { isSessionId, type ToolCallFacts, type TurnFacts, type Why } from "@uncaged/workflow-agent-kit";
import { type AgentEvent, sumOf, type Tokens, type Trace, usageOf } from "./events.js";

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
