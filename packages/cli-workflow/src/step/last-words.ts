import { type RunDir, stderrTail, stdoutTail } from "@uncaged/workflow-store";
import type { RunRoad } from "./types.js";

// A key can be cut in two where a tail begins: more is read, the keys are taken out, and then it is cut.

/** The end of what the agent wrote to stderr, without keys. */
export function lastOfStderr({ redactor }: RunRoad, run: RunDir, length: number): string {
  return redactor.tail(stderrTail(run, length + redactor.longest())).slice(-length);
}

/** The end of what it wrote to stdout. */
export function lastOfStdout({ redactor }: RunRoad, run: RunDir, length: number): string {
  return redactor.tail((stdoutTail(run) ?? "").slice(-(length + redactor.longest()))).slice(-length);
}
