import { type ChildOutcome, childPipe, endRun, runChild } from "@uncaged/workflow-util";
import type { Fields } from "../wire/index.js";
import { createLog } from "./log.js";
import { createReceiver } from "./receive.js";
import type { Answer, Connection, ConnectionSpec, Send, Waiting } from "./types.js";

/** What the agent has not read of our answers; more means that it asks without listening. */
const MOST_PENDING = 64 * 1024 * 1024;

const STDERR_BYTES = 256 * 1024;

/**
 * Starts the agent and speaks JSON-RPC 2.0 with it, one message per line. Its end, whatever it was, answers every
 * request that is still open. A callback that throws ends the agent, and the request under way throws it on.
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
  // Told by the request under way, or by `close`.
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
    said: log.tail,
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
    pidFile: null,
    limits: { timeoutMs: null, idleMs: limits.idleMs, graceMs: limits.graceMs },
    lastActivity: () => {
      if (spec.busy()) signs += 1;
      return signs;
    },
    onTick: null,
    resultSeen: wiring.closing,
    abort: wiring.abort,
    // Our own process carries the run's token as well: finding members by it is uwf's business.
    token: null,
  });
  // A child of the agent that outlives it is nobody's.
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
