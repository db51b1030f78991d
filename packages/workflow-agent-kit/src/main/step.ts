import { statSync } from "node:fs";
import {
  type CasRef,
  err,
  exitCodeOf,
  type Fault,
  fault,
  messageOf,
  type Result,
} from "@uncaged/workflow-protocol";
import type { Host } from "../host/index.js";
import { firstReply } from "./first-reply.js";
import { outputOf } from "./output.js";
import { keepReply, recordStep, reportFailure } from "./record.js";
import type { MakePort, Prepared, Replied } from "./types.js";

/** Runs the author's code, reads its reply and stores the step. The stack of a throwing author goes to `debug`. */
export async function makeStep(
  prepared: Prepared,
  host: Host,
  makePort: MakePort,
  debug: (stack: string) => void,
): Promise<Result<CasRef, Fault>> {
  const startedAt = startOf(prepared) ?? host.now();
  const { reply, stack, asked } = await firstReply(prepared, host);
  if (reply.kind === "failed") {
    if (stack !== null) debug(stack);
    reportFailure(prepared, reply.session, null, null);
    return err(concealed(prepared, reply.fault));
  }
  prepared.context.heartbeat();
  const made = await finish({ prepared, reply, asked, startedAt }, makePort);
  return made.ok ? made : err(concealed(prepared, made.error));
}

/** Epoch ms when uwf began a run whose work was done outside of this process; `null` when that is not known. */
function startOf({ agent, open }: Prepared): number | null {
  const started =
    agent.outside && open.run !== null ? statSync(open.run.runFile, { throwIfNoEntry: false }) : undefined;
  return started === undefined ? null : Math.round(started.mtimeMs);
}

async function finish(replied: Replied, makePort: MakePort): Promise<Result<CasRef, Fault>> {
  const output = await outputOf(replied, makePort);
  if (!output.ok) {
    reportFailure(replied.prepared, replied.reply.session, null, null);
    return err(unwritten(replied, output.error));
  }
  const { value, raw, session, extract } = output.value;
  const recorded = value.ok ? await recordStep(replied, value.value, output.value) : null;
  if (recorded?.ok) return recorded;
  const kept = await keepReply(replied, raw);
  reportFailure(replied.prepared, session, kept, extract);
  if (recorded !== null) return err(unwritten(replied, recorded.error));
  return err(invalid(replied, value.ok ? [] : value.error, kept));
}

/** What is too large, or refused by the store, is the reply's fault, not that of how the agent is called. */
function unwritten({ prepared: { agent, role } }: Replied, cause: Fault): Fault {
  if (exitCodeOf(cause) !== 4) return cause;
  return fault("AGENT_BAD_RESULT", { command: agent.name, role, problem: messageOf(cause) });
}

/** A failure without keys: it may quote the reply or the author; its stderr is the end of a longer text. */
function concealed({ open: { redactor } }: Prepared, failure: Fault): Fault {
  const hasStderr = failure.code === "AGENT_FAILED" && typeof failure.stderr === "string";
  return redactor.value(hasStderr ? { ...failure, stderr: redactor.tail(failure.stderr) } : failure);
}

function invalid({ prepared, reply }: Replied, violations: readonly string[], kept: CasRef | null): Fault {
  const { role, agent } = prepared;
  if (reply.kind === "text") {
    return fault("EXTRACT_FAILED", {
      role,
      violations,
      raw: kept ?? "nothing: the store could not be written",
    });
  }
  const problem = `its output is not valid:${violations.map((line) => `\n  ${line}`).join("")}`;
  return fault("AGENT_BAD_RESULT", { command: agent.name, role, problem });
}
