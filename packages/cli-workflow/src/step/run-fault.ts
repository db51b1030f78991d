import { type Fault, fault, type Refusal } from "@uncaged/workflow-protocol";
import type { ChildOutcome } from "@uncaged/workflow-util";
import type { RunPlan } from "./types.js";

/** Why a run gave no step, by how its agent ended; `reason` is stage 7's when it ended well. */
export function failureOf(
  plan: RunPlan,
  outcome: ChildOutcome,
  said: { readonly reason: string; readonly stderr: string; readonly refusal: Refusal | null },
): Fault {
  const { role } = plan;
  const command = plan.agent.program;
  const failed = (how: string): Fault =>
    fault("AGENT_FAILED", { command, role, outcome: how, stderr: said.stderr });
  switch (outcome.kind) {
    case "exited":
      if (outcome.code !== 0 && said.refusal !== null) {
        return fault("AGENT_REFUSED", { command, role, refusal: said.refusal });
      }
      if (outcome.code !== 0) return failed(`exited with ${outcome.code}`);
      return fault("AGENT_BAD_RESULT", { command, role, reason: said.reason });
    case "signaled":
      return failed(`was ended by ${outcome.signal}`);
    case "timeout":
      return outcome.limit === "wall"
        ? fault("AGENT_TIMEOUT", {
            command,
            role,
            limit: "timeoutSeconds",
            seconds: seconds(plan.agent.timeoutMs),
          })
        : fault("AGENT_TIMEOUT", {
            command,
            role,
            limit: "idleSeconds",
            seconds: seconds(plan.agent.idleMs),
          });
    case "aborted":
      return fault("INTERRUPTED", { signal: outcome.signal, recorded: null });
    case "ended-after-result":
      return fault("AGENT_BAD_RESULT", { command, role, reason: said.reason });
    case "io-failed": {
      const { operation, path, errno, reason } = outcome;
      return fault("IO_FAILED", { operation, path, errno, reason });
    }
    case "not-startable":
      return fault("AGENT_NOT_STARTABLE", { command, reason: outcome.reason });
  }
}

function seconds(milliseconds: number | null): number {
  return (milliseconds ?? 0) / 1000;
}
