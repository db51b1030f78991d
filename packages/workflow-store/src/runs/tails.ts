import { LIMITS } from "@uncaged/workflow-protocol";
import { runFileTail } from "./run-file.js";
import type { RunDir } from "./types.js";

// Both throw `CasError` `IO_FAILED` for a file that cannot be read.

/** As much of the agent's stdout as is ever looked at; `null` when the agent has put something else in its place. */
export function stdoutTail(run: RunDir): string | null {
  return runFileTail(run.stdout, LIMITS.agentStdoutTail);
}

/** The last `bytes` of the agent's stderr, as far as there is one. */
export function stderrTail(run: RunDir, bytes: number): string {
  return runFileTail(run.stderr, bytes) ?? "";
}
