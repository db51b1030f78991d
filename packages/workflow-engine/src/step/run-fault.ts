import {
  FAULTS,
  type Fault,
  type FaultCode,
  fault,
  type ReportedFault,
  type Why,
} from "@uncaged/workflow-protocol";
import { type RunDir, stderrTail, stdoutTail } from "@uncaged/workflow-store";
import type { ChildOutcome } from "@uncaged/workflow-util";
import type { RunPlan, RunState } from "./types.js";

// A tail may begin in the middle of a key, so we read more than needed, remove the keys, then cut.

/** The end of the agent's stderr, without keys. */
export function lastOfStderr({ redactor }: RunState, run: RunDir, length: number): string {
  return redactor.tail(stderrTail(run, length + redactor.longest())).slice(-length);
}

/** The end of its stdout, without keys. */
export function lastOfStdout({ redactor }: RunState, run: RunDir, length: number): string {
  return redactor.tail((stdoutTail(run) ?? "").slice(-(length + redactor.longest()))).slice(-length);
}

/** How a run ends that gives no step and does not wait. */
export type RunFault = Extract<
  Fault,
  {
    readonly code:
      | "AGENT_FAILED"
      | "AGENT_REFUSED"
      | "AGENT_IO_FAILED"
      | "AGENT_BAD_RESULT"
      | "AGENT_TIMEOUT"
      | "AGENT_NOT_STARTABLE"
      | "INTERRUPTED"
      | "IO_FAILED";
  }
>;

/** The fault of a run without a step, from how its agent ended; `reason` is stage 7's, for an agent that exited with 0. */
export function failureOf(
  plan: RunPlan,
  outcome: ChildOutcome,
  said: { readonly reason: string; readonly stderr: string; readonly reported: ReportedFault | null },
): RunFault {
  const { role } = plan;
  const command = plan.agent.program;
  const failed = (how: string, reported: ReportedFault | null = null): RunFault =>
    fault("AGENT_FAILED", { command, role, outcome: how, stderr: said.stderr, ...whyOf(reported) });
  switch (outcome.kind) {
    case "exited":
      if (outcome.code === IO_ERROR) {
        return fault("AGENT_IO_FAILED", { command, role, problem: said.reported?.message ?? null });
      }
      if (outcome.code !== 0) {
        return said.reported !== null && isRefusal(said.reported)
          ? fault("AGENT_REFUSED", { command, role, refusal: said.reported })
          : failed(`exited with ${outcome.code}`, said.reported);
      }
      return fault("AGENT_BAD_RESULT", { command, role, problem: said.reason });
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
      return fault("AGENT_BAD_RESULT", { command, role, problem: said.reason });
    case "io-failed": {
      const { operation, path, errno, reason } = outcome;
      return fault("IO_FAILED", { operation, path, errno, reason });
    }
    case "not-startable":
      return fault("AGENT_NOT_STARTABLE", { command, reason: outcome.reason });
  }
}

/** EX_IOERR of sysexits.h: a retry would cost money and could not write either. */
export const IO_ERROR = 74;

/** Usage, not found, invalid: the agent's input is wrong, and every run fails until the user corrects it. */
const REFUSED: ReadonlySet<unknown> = new Set([2, 3, 4]);

function isRefusal({ code }: ReportedFault): boolean {
  return Object.hasOwn(FAULTS, code) && REFUSED.has(FAULTS[code as FaultCode].exit);
}

/** The agent's own report says more than its exit status. */
function whyOf(reported: ReportedFault | null): Why {
  if (reported === null) return {};
  const { reason, retryAfter, retryable, message, hint } = reported;
  return {
    message,
    retryable,
    ...(reason === null ? {} : { reason }),
    ...(retryAfter === null ? {} : { retryAfter }),
    ...(hint === null ? {} : { hint }),
  };
}

function seconds(milliseconds: number | null): number {
  return (milliseconds ?? 0) / 1000;
}
