import type { ChildSpec } from "@uncaged/workflow-util";
import { type Collector, plainLine } from "../output/index.js";
import type { Order } from "./types.js";

/** No reply is longer; of a command that writes more the end is kept, which is then no reply. */
const STDOUT_BYTES = 16 * 1024 * 1024;
/** The lines are what counts here; this bounds one of them. */
const STDERR_BYTES = 1024 * 1024;
const GRACE_MS = 5000;

/** How the command is to be run: in a group of its own, with the prompt on stdin. */
export function specOf(program: string, order: Order, both: Collector): ChildSpec {
  const { words, env, cwd, stdin, signal } = order;
  const onLine = (line: string): void => {
    const plain = plainLine(line);
    both.push(plain);
    order.onLine(plain);
  };
  return {
    command: program,
    args: words.command.slice(1),
    cwd,
    env,
    stdin: { kind: "text", text: stdin },
    stdout: { kind: "memory", limitBytes: STDOUT_BYTES, onLine },
    stderr: { kind: "memory", limitBytes: STDERR_BYTES, onLine },
    pidFile: null,
    limits: { timeoutMs: words.timeoutMs, idleMs: null, graceMs: GRACE_MS },
    lastActivity: null,
    onTick: null,
    resultSeen: null,
    abort: signal,
    // Our own process carries the run's token as well: finding members by it is uwf's business.
    token: null,
  };
}
