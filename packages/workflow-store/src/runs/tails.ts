import { type Fault, LIMITS, type Result } from "@uncaged/workflow-protocol";
import { readTail } from "../files/index.js";
import type { RunDir } from "./types.js";

/** As much of the agent's stdout as is ever looked at. */
export function stdoutTail(run: RunDir): Result<string, Fault> {
  return readTail(run.stdout, LIMITS.agentStdoutTail);
}

export function stderrTail(run: RunDir, bytes: number): Result<string, Fault> {
  return readTail(run.stderr, bytes);
}
