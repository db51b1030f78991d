import { isObject } from "@uncaged/workflow-agent-kit";
import { type ChildOutcome, childPipe, endRun, runChild } from "@uncaged/workflow-util";

/** One line of the agent's stdout, after the gate. */
export type Message =
  | { readonly kind: "result"; readonly id: number; readonly value: unknown }
  | { readonly kind: "error"; readonly id: number; readonly error: RpcError }
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: Fields }
  | { readonly kind: "notification"; readonly method: string; readonly params: Fields }
  /** Not a protocol message: a log line. */
  | { readonly kind: "noise" };

/** An id chosen by the other side, returned unchanged. */
type RequestId = string | number | null;

export type RpcError = {
  readonly code: number;
  readonly message: string;
  /** Extra data as JSON; `null`: none. */
  readonly data: string | null;
};

/** An unchecked JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

// Gate: everything that an agent sends is checked here.

/** The object, or an empty one. */
export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

/** The objects in a list; none if it is not a list. */
export function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A finite number that is not negative. */
export function amountOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** A value as text for people: text unchanged, others as JSON, `undefined` and `null` as "". */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

const NOISE: Message = { kind: "noise" };

/** Reads one line; never throws. */
export function parseMessage(line: string): Message {
  const value = asJson(line);
  if (!isObject(value)) return NOISE;
  if (typeof value.method === "string") return call(value.method, value);
  if (typeof value.id !== "number") return NOISE;
  if (isObject(value.error)) return { kind: "error", id: value.id, error: errorOf(value.error) };
  return "result" in value ? { kind: "result", id: value.id, value: value.result } : NOISE;
}

function call(method: string, value: Fields): Message {
  const params = fieldsOf(value.params);
  return isId(value.id)
    ? { kind: "request", id: value.id, method, params }
    : { kind: "notification", method, params };
}

function isId(id: unknown): id is RequestId {
  return typeof id === "number" || typeof id === "string" || id === null;
}

function errorOf({ code, message, data }: Fields) {
  return {
    code: typeof code === "number" ? code : 0,
    message: typeof message === "string" ? message : "no message",
    data: data === undefined || data === null ? null : shown(data),
  };
}

// Do not try to parse a line that does not begin like an object.
function asJson(line: string): unknown {
  if (!line.trimStart().startsWith("{")) return null;
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

const KEPT = 8_000;

type Log = { readonly add: (line: string) => void; readonly tail: () => string };

/** Forwards lines and keeps the last ones. */
function createLog(pass: (line: string) => void): Log {
  let tail = "";
  return {
    add: (line) => {
      if (line.trim() === "") return;
      tail = `${tail}${line.slice(0, KEPT)}\n`.slice(-KEPT);
      pass(line);
    },
    tail: () => tail,
  };
}

/** The outcome of one of our requests. */
export type Answer =
  | { readonly kind: "result"; readonly value: unknown }
  | { readonly kind: "error"; readonly error: RpcError }
  /** The agent's process has ended. */
  | { readonly kind: "ended"; readonly outcome: ChildOutcome }
  | { readonly kind: "late"; readonly ms: number };

/** Sends one message of ours. */
type Send = (message: object) => void;

/** Our pending requests, by id. */
type Waiting = Map<number, (answer: Answer) => void>;

export type Limits = {
  /** Until the agent answers initialize, session/new or session/load. */
  readonly startMs: number;
  /** Without any message; `null` is no limit. */
  readonly idleMs: number | null;
  /** After the end of its input, and again after SIGTERM. */
  readonly graceMs: number;
  /** Between session/cancel and SIGTERM. */
  readonly cancelMs: number;
  /** The longest line that is read. */
  readonly lineBytes: number;
};

type ConnectionSpec = {
  /** An absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: Limits;
  readonly onNotification: (method: string, params: Fields) => void;
  /** The result of the agent's request; `null`: unknown method. */
  readonly onRequest: (method: string, params: Fields) => Fields | null;
  /** A line of the agent's stderr, or a line of its stdout that is not a protocol message. */
  readonly onLog: (line: string) => void;
  /** Called for every message of the agent. */
  readonly heartbeat: () => void;
  /** Whether a tool is running, or there is no prompt yet: then silence is normal. */
  readonly busy: () => boolean;
};

export type Connection = {
  readonly request: (method: string, params: Fields, deadlineMs: number | null) => Promise<Answer>;
  readonly notify: (method: string, params: Fields) => void;
  /** Closes its stdin and, if that is not enough, ends its whole process group. */
  readonly close: () => Promise<ChildOutcome>;
  /** SIGTERM, then SIGKILL. */
  readonly kill: (signal: string) => void;
  /** The end of the agent's output outside of the protocol. */
  readonly stderrText: () => string;
};

const METHOD_NOT_FOUND = { code: -32_601, message: "this client does not support that method" };

type Way = { readonly send: Send; readonly waiting: Waiting; readonly note: (line: string) => void };

/** Handles each line of the agent's stdout. */
function createReceiver(spec: ConnectionSpec, { send, waiting, note }: Way): (line: string) => void {
  const { lineBytes } = spec.limits;
  const reply = (id: RequestId, result: Fields | null): void =>
    send(result === null ? { id, error: METHOD_NOT_FOUND } : { id, result });
  const receive = (message: Message, line: string): void => {
    switch (message.kind) {
      case "noise":
        note(line);
        break;
      case "notification":
        spec.onNotification(message.method, message.params);
        break;
      case "request":
        reply(message.id, spec.onRequest(message.method, message.params));
        break;
      default:
        waiting.get(message.id)?.(message);
    }
  };
  return (line) => {
    if (Buffer.byteLength(line) < lineBytes) receive(parseMessage(line), line);
    else note(`a line of ${lineBytes} bytes or more was skipped: ${line.slice(0, 200)}`);
  };
}

/** Bytes of our answers that the agent has not read; more means that it never reads them. */
const MOST_PENDING = 64 * 1024 * 1024;

const STDERR_BYTES = 256 * 1024;

/**
 * Starts the agent and speaks JSON-RPC 2.0 with it, one message per line. When it exits, every pending request is
 * answered with its outcome. A callback that throws ends the agent, and the pending request rethrows.
 */
export function connect(spec: ConnectionSpec): Connection {
  const pipe = childPipe();
  const killer = new AbortController();
  const log = createLog(spec.onLog);
  const waiting: Waiting = new Map();
  let closing = false;
  const send: Send = (message) => {
    pipe.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    if (pipe.pending() > MOST_PENDING) killer.abort("SIGTERM");
  };
  const ended = runAgent(spec, {
    stdin: pipe.stdin,
    abort: killer.signal,
    onLine: createReceiver(spec, { send, waiting, note: log.add }),
    onLog: log.add,
    closing: () => closing,
  });
  // Reported by the pending request, or by `close`.
  ended.catch(() => {});
  return {
    request: requester(send, waiting, ended),
    notify: (method, params) => send({ method, params }),
    close: () => {
      closing = true;
      pipe.end();
      return ended;
    },
    kill: (signal) => killer.abort(signal),
    stderrText: log.tail,
  };
}

type Wiring = {
  readonly stdin: ReturnType<typeof childPipe>["stdin"];
  readonly abort: AbortSignal;
  readonly onLine: (line: string) => void;
  readonly onLog: (line: string) => void;
  readonly closing: () => boolean;
};

async function runAgent(spec: ConnectionSpec, wiring: Wiring): Promise<ChildOutcome> {
  const { command, args, cwd, env, limits, heartbeat } = spec;
  const alive = (next: (line: string) => void) => (line: string) => {
    heartbeat();
    next(line);
  };
  let signs = 0;
  const outcome = await runChild({
    command,
    args,
    cwd,
    env,
    stdin: wiring.stdin,
    stdout: { kind: "memory", limitBytes: limits.lineBytes, onLine: alive(wiring.onLine) },
    stderr: { kind: "memory", limitBytes: STDERR_BYTES, onLine: alive(wiring.onLog) },
    limits: { idleMs: limits.idleMs, graceMs: limits.graceMs },
    lastActivity: () => {
      if (spec.busy()) signs += 1;
      return signs;
    },
    resultSeen: wiring.closing,
    abort: wiring.abort,
  });
  // End the agent's children that outlive it.
  if (outcome.pid !== null) await endRun({ pid: outcome.pid, startTime: null, token: null }, limits.graceMs);
  return outcome;
}

function requester(send: Send, waiting: Waiting, ended: Promise<ChildOutcome>): Connection["request"] {
  let lastId = 0;
  return async (method: string, params: Fields, deadlineMs: number | null) => {
    lastId += 1;
    const id = lastId;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    send({ id, method, params });
    try {
      return await firstOf(answered, ended, deadlineMs);
    } finally {
      waiting.delete(id);
    }
  };
}

async function firstOf(
  answered: Promise<Answer>,
  ended: Promise<ChildOutcome>,
  ms: number | null,
): Promise<Answer> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<Answer>((resolve) => {
    if (ms !== null) timer = setTimeout(() => resolve({ kind: "late", ms }), ms);
  });
  const over = ended.then((outcome): Answer => ({ kind: "ended", outcome }));
  try {
    return await Promise.race([answered, over, late]);
  } finally {
    clearTimeout(timer);
  }
}
