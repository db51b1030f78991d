import { LIMITS } from "@uncaged/workflow-protocol";
import { readTail } from "../files/index.js";
import type { RunDir } from "./types.js";

// Both give "" for a file that is not there, and throw `CasError` `IO_FAILED` for one that cannot be read: a result
// that we cannot see must not be taken for none, its step would be run a second time.

/** As much of the agent's stdout as is ever looked at. */
export function stdoutTail(run: RunDir): string {
  return readTail(run.stdout, LIMITS.agentStdoutTail);
}

/** The last `bytes` of the agent's stderr. */
export function stderrTail(run: RunDir, bytes: number): string {
  return readTail(run.stderr, bytes);
}
