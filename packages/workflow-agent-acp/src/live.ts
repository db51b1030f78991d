import type { AgentContext, AgentDefinition, Continue } from "@uncaged/workflow-agent-kit";
import { definedOnly } from "@uncaged/workflow-util";
import type { Options } from "./arguments.js";
import { type Connection, connect, type Fields, fieldsOf, textOf } from "./connection.js";
import { answerPermission, CANCELLED, type Intent, type Policy, rejectChange } from "./policy.js";
import type { Introduced, OpenSession, Talk } from "./session.js";
import type { Trace } from "./trace.js";

/** Characters of one prompt's trace; an agent that sends more is stopped. */
const MOST_SAID = 64 * 1024 * 1024;

const LINE_BYTES = 8 * 1024 * 1024;

/** A log line of an agent may contain a whole bundled program. */
const LONGEST_SHOWN = 1000;

/** A running agent and its state. */
export type Live = {
  readonly talk: Talk;
  readonly connection: Connection;
  /** The listener of each session's updates; none while a loaded session replays its history. */
  listener: { readonly sessionId: string; readonly trace: Trace } | null;
  introduced: Introduced | null;
  session: OpenSession | null;
  /** Calls that were rejected. */
  readonly rejections: string[];
  /** The calls that were allowed, as requested, by id; until they end. */
  readonly allowed: Map<string, Intent>;
  /** Why a call differs from the one that was allowed; `null`: none does. */
  broken: string | null;
  /** Prompts so far. */
  prompts: number;
  /** Whether its session was loaded: then it replays the history, and nothing marks the end. */
  loaded: boolean;
  /** Updates so far, of any session. */
  heard: number;
};

/** Starts the agent; nothing is exchanged yet. */
export function startLive(context: AgentContext, options: Options, command: string, port: Port): Live {
  const { signal } = context;
  const { startMs, graceMs, cancelMs } = port.times;
  const idleMs = options.idleSeconds === null ? null : options.idleSeconds * 1000;
  const limits = { startMs, idleMs, graceMs, cancelMs, lineBytes: LINE_BYTES };
  const policy: Policy = { ...options, cwd: port.cwd };
  const onRequest = (method: string, params: Fields): Fields | null => {
    if (method !== "session/request_permission") return null;
    return signal.aborted ? CANCELLED : permission(live, params, policy, port);
  };
  const connection = connect({
    command,
    args: options.command.slice(1),
    cwd: port.cwd,
    env: definedOnly(context.env),
    limits,
    onNotification: (method, params) => hear(live, method, params, policy, port),
    onRequest,
    onLog: (line) => port.stderr(line.slice(0, LONGEST_SHOWN)),
    heartbeat: context.heartbeat,
    // Requests before the prompt have their own limits.
    busy: () => live.listener?.trace.busy() ?? true,
  });
  const talk = { connection, limits, cwd: port.cwd };
  const live: Live = {
    talk,
    connection,
    listener: null,
    introduced: null,
    session: null,
    rejections: [],
    allowed: new Map(),
    broken: null,
    prompts: 0,
    loaded: false,
    heard: 0,
  };
  return live;
}

// An agent may run sessions of its own beside ours: their updates are not about our prompt.
function hear(live: Live, method: string, params: Fields, policy: Policy, port: Port): void {
  if (method !== "session/update") return;
  live.heard += 1;
  const { listener, connection } = live;
  if (listener === null) return;
  if ((textOf(params.sessionId) ?? listener.sessionId) !== listener.sessionId) return;
  const update = fieldsOf(params.update);
  listener.trace.update(update);
  inspectAgain(live, update, listener.trace, policy, port);
  if (saysTooMuch(listener.trace)) connection.kill("SIGTERM");
}

export function saysTooMuch(trace: Trace): boolean {
  return trace.size() > MOST_SAID;
}

/** Stops the agent when a call turns out to differ from the one that was allowed. */
function inspectAgain(live: Live, update: Fields, trace: Trace, policy: Policy, port: Port): void {
  const { allowed } = live;
  const id = textOf(update.toolCallId);
  const asked = id === null ? undefined : allowed.get(id);
  const known = id === null ? null : trace.toolCall(id);
  if (id === null || asked === undefined || known === null) return;
  if (known.endedAt !== null) allowed.delete(id);
  const reason = rejectChange(asked, update, known, policy);
  if (reason === null) return;
  allowed.delete(id);
  live.broken = reason;
  trace.refuse({ toolCallId: id }, reason);
  port.stderr(`uwf-acp: ${reason}; a different call was allowed, so the agent is stopped`);
  live.connection.kill("SIGTERM");
}

function permission(
  { listener, rejections, allowed }: Live,
  params: Fields,
  policy: Policy,
  port: Port,
): Fields {
  const id = textOf(fieldsOf(params.toolCall).toolCallId);
  const known = id === null ? null : (listener?.trace.toolCall(id) ?? null);
  const { answer, rejected, intent } = answerPermission(params, known, policy);
  if (rejected === null) {
    if (id !== null) allowed.set(id, intent);
    return answer;
  }
  rejections.push(rejected);
  listener?.trace.refuse(fieldsOf(params.toolCall), rejected);
  port.stderr(`uwf-acp: ${rejected}`);
  return answer;
}

/**
 * On abort, sends session/cancel first: an agent that supports it ends its tools and saves its session. Returns the
 * function that stops listening.
 */
export function endOnAbort(live: Live, signal: AbortSignal): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const { connection } = live;
  const aborted = (): void => {
    const reason = String(signal.reason);
    const { listener } = live;
    if (listener !== null) connection.notify("session/cancel", { sessionId: listener.sessionId });
    const ms = listener === null ? 0 : live.talk.limits.cancelMs;
    timer = setTimeout(() => connection.kill(reason), ms);
  };
  signal.addEventListener("abort", aborted, { once: true });
  if (signal.aborted) aborted();
  return () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", aborted);
  };
}

/** The process around the agent. */
export type Port = {
  readonly cwd: string;
  /** A monotonic clock, in ms. */
  readonly now: () => number;
  /** One line to our stderr. */
  readonly stderr: (line: string) => void;
  /** Our version, sent to the agent. */
  readonly version: string;
  readonly times: Times;
};

/** Time limits outside of the agent's work, in ms. */
export type Times = {
  /** For the answer to initialize, session/new, session/load. */
  readonly startMs: number;
  /** After the end of the agent's input, and again after SIGTERM. */
  readonly graceMs: number;
  /** Between session/cancel and SIGTERM. */
  readonly cancelMs: number;
  /** Without an update; then a loaded session has replayed its history. */
  readonly quietMs: number;
};

export type AcpAgent = {
  readonly run: AgentDefinition["run"];
  readonly continue: Continue;
  /** Ends a process that was kept for a correction of the header. */
  readonly close: () => void;
};
