import { type CasRef, err, type Fault, fault, type Result } from "@uncaged/workflow-protocol";
import { callRun } from "../author/index.js";
import type { Host } from "../host/index.js";
import { writeReport } from "../report/index.js";
import { outputOf } from "./output.js";
import { recordFailure, recordStep } from "./record.js";
import type { MakePort, Prepared, Replied } from "./types.js";

/** Runs the author's code, reads its reply and stores the step. The stack of a throwing author goes to `debug`. */
export async function makeStep(
  prepared: Prepared,
  host: Host,
  makePort: MakePort,
  debug: (stack: string) => void,
): Promise<Result<CasRef, Fault>> {
  const startedAt = host.now();
  const { reply, stack } = await callRun(prepared.agent, prepared.context);
  if (reply.kind === "failed") {
    if (stack !== null) debug(stack);
    const { sessionId, usage } = reply.session;
    writeReport(prepared.open.run, { sessionId, usage, raw: null });
    return err(reply.fault);
  }
  prepared.context.heartbeat();
  return finish({ prepared, reply, startedAt }, makePort);
}

async function finish(replied: Replied, makePort: MakePort): Promise<Result<CasRef, Fault>> {
  const { prepared, reply } = replied;
  const output = await outputOf(replied, makePort);
  if (!output.ok) return output;
  const { value } = output.value;
  if (value.ok) return recordStep(replied, value.value, output.value);
  if (reply.kind === "text") return err(await recordFailure(replied, value.error, output.value));
  const reason = `its output is not valid:${value.error.map((line) => `\n  ${line}`).join("")}`;
  return err(fault("AGENT_BAD_RESULT", { command: prepared.agent.name, role: prepared.role, reason }));
}
