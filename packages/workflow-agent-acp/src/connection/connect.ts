import { type ChildOutcome, childPipe, endRun, runChild } from "@uncaged/workflow-util";
import { type Fields, type Message, parseMessage, type RequestId } from "../wire/index.js";
import { createLog } from "./log.js";
import type { Answer, Connection, ConnectionSpec } from "./types.js";

/** What the agent has not read of our answers; more means that it asks without listening. */
const MOST_PENDING = 64 * 1024 * 1024;

const STDERR_BYTES = 256 * 1024;

const METHOD_NOT_FOUND = { code: -32_601, message: "this client does not have that method" };

/**
 * Starts the agent and speaks JSON-RPC 2.0 with it, one message per line. Its end, whatever it was, answers every
 * request that is still open. A callback that throws ends the agent, and the request under way throws it on.
 */
export function connect(spec: ConnectionSpec): Connection {
  const pipe = childPipe();
  const killer = new AbortController();
  const log = createLog(spec.onLog);
  const waiting = new Map<number, (answer: Answer) => void>();
  let [lastId, closing, signs] = [0, false, 0];

  const send = (message: object): void => {
    pipe.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    if (pipe.pending() > MOST_PENDING) killer.abort("SIGTERM");
  };
  const receive = (message: Message, line: string): void => {
    switch (message.kind) {
      case "noise":
        log.add(line);
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
  const reply = (id: RequestId, result: Fields | null): void =>
    send(result === null ? { id, error: METHOD_NOT_FOUND } : { id, result });
  const onLine = (line: string): void => {
    spec.heartbeat();
    const { lineBytes } = spec.limits;
    if (Buffer.byteLength(line) < lineBytes) receive(parseMessage(line), line);
    else log.add(`a line of ${lineBytes} bytes or more was left out: ${line.slice(0, 200)}`);
  };
  const onStderr = (line: string): void => {
    spec.heartbeat();
    log.add(line);
  };

  const ended = runChild({
    command: spec.command,
    args: spec.args,
    cwd: spec.cwd,
    env: spec.env,
    stdin: pipe.stdin,
    stdout: { kind: "memory", limitBytes: spec.limits.lineBytes, onLine },
    stderr: { kind: "memory", limitBytes: STDERR_BYTES, onLine: onStderr },
    pidFile: null,
    limits: { timeoutMs: null, idleMs: spec.limits.idleMs, graceMs: spec.limits.graceMs },
    lastActivity: () => {
      if (spec.busy()) signs += 1;
      return signs;
    },
    onTick: null,
    resultSeen: () => closing,
    abort: killer.signal,
    // Our own process carries the run's token as well: finding members by it is uwf's business.
    token: null,
  }).then((outcome) => swept(outcome, spec.limits.graceMs));
  // Told by the request under way, or by `close`.
  ended.catch(() => {});

  const request: Connection["request"] = async (method, params, deadlineMs) => {
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
  return {
    request,
    notify: (method, params) => send({ method, params }),
    close: () => {
      closing = true;
      pipe.end();
      return ended;
    },
    kill: (signal) => killer.abort(signal),
    said: log.tail,
  };
}

/** A child of the agent that outlives it is nobody's. */
async function swept(outcome: ChildOutcome, graceMs: number): Promise<ChildOutcome> {
  if (outcome.pid !== null) await endRun({ pid: outcome.pid, startTime: null, token: null }, graceMs);
  return outcome;
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
  try {
    return await Promise.race([
      answered,
      ended.then((outcome): Answer => ({ kind: "ended", outcome })),
      late,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
