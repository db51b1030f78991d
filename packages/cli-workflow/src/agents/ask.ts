import { ENV } from "@uncaged/workflow-protocol";
import { type ChildOutcome, runChild } from "@uncaged/workflow-util";
import type { Host } from "../io/index.js";

const GRACE_MS = 200;

/** One question to a program: the words that ask it, and how long and how much it may answer. */
export type Question = {
  /** Absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly limitBytes: number;
};

/** Hears a program out: nothing on stdin, and when the time is over its whole group is ended. */
export function askProgram(host: Host, question: Question): Promise<ChildOutcome> {
  const { file, args, env, timeoutMs, limitBytes } = question;
  const token = host.newToken();
  const output = { kind: "memory", limitBytes, onLine: null } as const;
  return runChild({
    command: file,
    args,
    cwd: host.cwd,
    env: { ...env, [ENV.run]: token },
    stdin: { kind: "null" },
    stdout: output,
    stderr: output,
    pidFile: null,
    limits: { timeoutMs, idleMs: null, graceMs: GRACE_MS },
    lastActivity: null,
    onTick: null,
    resultSeen: null,
    abort: null,
    token,
  });
}
