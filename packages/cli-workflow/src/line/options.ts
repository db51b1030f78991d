import { bound, flag, list, type Options, option, type Request } from "@uncaged/command-line";
import {
  AGENT,
  COUNT,
  FOLDER,
  KEY,
  PATH,
  POSITIVE,
  PROMPT,
  ROLE_OR_DONE,
  SECONDS,
  TIME,
  USD,
} from "./kinds.js";

// Options that several commands have, and what the engine makes of them.

type Values<O extends Options> = Request<Record<never, never>, O>;

/** The task. */
export const PROMPT_OPTIONS = {
  prompt: option(PROMPT, "the task; - reads it from stdin", { short: "-p" }),
  promptFile: option(PATH, "read the task from a file"),
};

/** Of a new thread. */
export const START_OPTIONS = {
  ...PROMPT_OPTIONS,
  cwd: option(FOLDER, "folder where its agents work (default: the current folder)"),
  key: option(KEY, "one thread per key: the same key gives the same thread again"),
};

/** Of whatever waits for a thread. */
export const WAIT_OPTION = { wait: bound(SECONDS, "wait while another process holds the thread") };

/** In ms. */
export function waitMsOf({ wait }: Values<typeof WAIT_OPTION>): number {
  return (wait ?? 0) * 1000;
}

/** Of commands that run agents. */
export const STEP_OPTIONS = {
  agent: list(AGENT, "an alias from config.yaml, or a command with arguments; <role>=<command> for one role"),
  ...WAIT_OPTION,
  retries: option(COUNT, "retry a failing agent this many times, whatever config.yaml says"),
  quiet: flag("print only failures and the result"),
  events: flag("print one JSON line for each event instead of the result", { conflicts: ["quiet"] }),
};

/** What a step is to do, of any thread and from any head. */
export function stepRequest({ agent, retries, quiet, events, ...rest }: Values<typeof STEP_OPTIONS>) {
  const shown = events ? ("events" as const) : quiet ? ("quiet" as const) : ("usual" as const);
  return { agents: agent, cwd: null, expect: null, waitMs: waitMsOf(rest), retries, until: null, shown };
}

/** `--cwd` of a thread that is there. */
export const MOVE_OPTION = {
  cwd: option(FOLDER, "move the thread to this folder first; its agents work there from now on"),
};

/** What bounds the command, not the thread. */
export const BOUND_OPTIONS = {
  maxSteps: option(POSITIVE, "stop after this many steps (default: 200)"),
  maxCost: option(USD, "start no further step once the steps of this command have cost this"),
  timeout: option(TIME, "start no further step after this time: 90s, 30m, 2h"),
  until: option(ROLE_OR_DONE, "stop before this role's agent would run; done: at the end"),
};

export function boundsOf({ maxSteps, maxCost, timeout, until }: Values<typeof BOUND_OPTIONS>) {
  return { maxSteps, maxCostUsd: maxCost, timeoutMs: timeout, until: until === "done" ? null : until };
}
