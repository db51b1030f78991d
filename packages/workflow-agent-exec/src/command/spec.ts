import type { ChildSpec } from "@uncaged/workflow-util";
import { type Batches, type Collector, plainLine } from "../output/index.js";
import type { Order } from "./types.js";

/** No header is looked for in more; of a command that writes more the end is kept, which has none. */
const STDOUT_BYTES = 16 * 1024 * 1024;
/** The lines are what counts; this bounds one of them. */
const LINE_BYTES = 1024 * 1024;
const GRACE_MS = 5000;

/** Where the lines of stdout and stderr go, plain. */
type Sinks = { readonly both: Collector; readonly shown: Batches };

/** How the command is to be run: in a group of its own, with the prompt on stdin. */
export function specOf(program: string, order: Order, { both, shown }: Sinks): ChildSpec {
  const { words, env, cwd, stdin, signal } = order;
  const onLine = (line: string): void => {
    const plain = plainLine(line);
    both.push(plain);
    shown.push(plain);
  };
  return {
    command: program,
    args: words.command.slice(1),
    cwd,
    env,
    stdin: { kind: "text", text: stdin },
    stdout: { kind: "memory", limitBytes: words.fieldsFromStdout ? STDOUT_BYTES : LINE_BYTES, onLine },
    stderr: { kind: "memory", limitBytes: LINE_BYTES, onLine },
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
