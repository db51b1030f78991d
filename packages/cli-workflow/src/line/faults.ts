import type { Words } from "@uncaged/command-line";
import { type ExitCode, exitCodesOf, type FaultCode } from "@uncaged/workflow-protocol";
import { COMMON_EXITS } from "./program.js";

// Which faults a command may end with, by what it does; its page shows their exit codes.

/** Of every command that opens the storage root. */
export const ROOT_FAULTS = ["OLDER_ROOT", "INVALID_CONFIG", "ROOT_NOT_TRUSTED"] as const;

/** Faults of a decision that leads to no role, and to no end. */
export const ROUTING_FAULTS = [
  "CONDITION_FAILED",
  "CONDITION_NOT_BOOLEAN",
  "NO_TRANSITION",
  "UNKNOWN_CONDITION",
  "UNKNOWN_ROLE",
] as const;

/** Of every command that reads config.yaml or .env. */
export const CONFIG_FAULTS = ["INVALID_CONFIG", "FILE_NOT_FOUND", "TOO_LARGE", "INVALID_INPUT"] as const;

/** Of every command that opens the remote. `INVALID_INPUT` is of its address, and of a row that no uwf has written. */
export const OPEN_REMOTE_FAULTS = [
  "REMOTE_NOT_SET",
  "REMOTE_NOT_INSTALLED",
  "REMOTE_NOT_READY",
  "REMOTE_IN_USE",
  "INVALID_INPUT",
] as const;

/** Of commands that ask the remote for a thread, as with `--remote`. */
export const REMOTE_FAULTS = [...OPEN_REMOTE_FAULTS, "NOT_ON_REMOTE", "REMOTE_BUSY"] as const;

/** Of commands that change a thread: who holds it, and what the index is locked by. */
export const CHANGE_FAULTS = ["THREAD_ENDED", "THREAD_BUSY", "LOCK_BUSY"] as const;

/** Faults of a step, by an agent or a person, in addition to those of the thread that it steps. */
export const STEP_FAULTS = [
  ...ROOT_FAULTS,
  ...ROUTING_FAULTS,
  ...CHANGE_FAULTS,
  "FILE_NOT_FOUND",
  "INVALID_INPUT",
  "TOO_LARGE",
  "NO_AGENT",
  "ALIAS_UNDEFINED",
  "AGENT_NOT_FOUND",
  "AGENT_NOT_STARTABLE",
  "AGENT_UNUSABLE",
  "SANDBOX_UNAVAILABLE",
  "AGENT_REFUSED",
  "FOLDER_UNUSABLE",
  "AGENT_FAILED",
  "AGENT_TIMEOUT",
  "AGENT_BAD_RESULT",
  "WAITING_FOR_ANSWER",
  "WAITING_FOR_THREADS",
  "WAITING",
  "THREAD_PAUSED",
  "THREAD_ON_REMOTE",
  "LIMIT_REACHED",
  "THREAD_FAILED",
  "RATE_LIMITED",
  "HEAD_MOVED",
  "CLAIM_LOST",
  "INTERRUPTED",
] as const;

/** The faults that a command declares: its own, and those of its kinds of values. */
export function declaredFaults(words: Words): ReadonlySet<string> {
  const parts = [...Object.values(words.arguments), ...Object.values(words.options)];
  return new Set([...parts.flatMap(({ faults }) => faults), ...words.exits]);
}

/** The exit codes of these faults without those of every command, ascending. */
export function ownExits(faults: Iterable<string>): readonly ExitCode[] {
  const codes = [...faults].flatMap((code) => exitCodesOf(code as FaultCode));
  return [...new Set(codes)].filter((code) => !COMMON_EXITS.includes(code)).sort((a, b) => a - b);
}
