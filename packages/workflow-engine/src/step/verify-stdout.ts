import { parseHash } from "@uncaged/json-cas";
import { err, lastLine, ok, type Result } from "@uncaged/workflow-protocol";
import { recordedIn, verifyStep } from "@uncaged/workflow-store";
import type { RunPlan, RunState, VerifiedStep } from "./types.js";

/** The StepNode that an agent printed, if it continues this head as this role; else the reason why not. */
export function verifyStdout(
  state: RunState,
  plan: RunPlan,
  stdout: string | null,
): Result<VerifiedStep, string> {
  if (stdout === null) return err("its stdout is not a regular file any more");
  const line = lastLine(stdout);
  if (line === null) return err(stdout === "" ? "it printed nothing" : "it printed blank lines at the end");
  const hash = parseHash(line);
  if (hash === null)
    return err(`its last line is ${JSON.stringify(shorten(state.redactor.tail(line)))}, not a hash`);
  const verified = verifyStep(state.storage.cas, {
    hash,
    head: state.chain.head,
    startHash: state.chain.start.hash,
    role: plan.role,
    meta: plan.meta,
    isRecorded: recordedIn(state.chain),
  });
  return verified.ok ? ok(verified.value) : err(`node ${hash}: ${verified.error}`);
}

function shorten(line: string): string {
  return line.length <= 100 ? line : `${line.slice(0, 100)}…`;
}
