import { constants } from "node:os";
import type { Fault } from "@uncaged/workflow-agent-kit";
import { type ChildEnd, type ChildOutcome, resolveCommand, runChild } from "@uncaged/workflow-util";
import { createCollector, inBatches, plainText } from "../output/index.js";
import { endLeftovers } from "./leftovers.js";
import { specOf } from "./spec.js";
import type { Order, Ran } from "./types.js";

export type Called = { readonly ok: true; readonly ran: Ran } | { readonly ok: false; readonly fault: Fault };

/** What a step's trace keeps of the output, in characters, where its field `output` keeps less. */
export const TRACE_LIMIT = 256 * 1024;

/** timeout(1) exits so. */
const TIMED_OUT = 124;

/**
 * Runs the command to its end. That it failed is a result; a fault is only what kept it from running: not found, not
 * executable, no such folder.
 */
export async function runCommand(order: Order): Promise<Called> {
  const [name = ""] = order.words.command;
  const program = resolveCommand(name, { path: order.env.PATH ?? "", cwd: order.cwd });
  if (!program.ok) return { ok: false, fault: program.error };
  const both = createCollector(Math.max(order.words.outputLimit, TRACE_LIMIT));
  const shown = inBatches(order.onLine);
  const ended = await runChild(specOf(program.value, order, { both, shown }));
  shown.finish();
  const fault = faultOf(name, ended);
  if (fault !== null) return { ok: false, fault };
  const left = ended.pid === null ? 0 : await endLeftovers(ended.pid);
  if (left > 0) order.onLine(`uwf-exec: processes that the command has left running were ended: ${left}`);
  const { exitCode, outcome } = exitOf(ended);
  if (ended.kind !== "exited") both.push(`[the command ${outcome}]`);
  const stdout = plainText(ended.stdout ?? "");
  return { ok: true, ran: { exitCode, outcome, durationMs: ended.durationMs, stdout, tail: both.tail } };
}

function faultOf(command: string, ended: ChildOutcome): Fault | null {
  if (ended.kind === "not-startable") return { code: "AGENT_NOT_STARTABLE", command, reason: ended.reason };
  if (ended.kind !== "io-failed") return null;
  const { operation, path, reason } = ended;
  return { code: "AGENT_NOT_STARTABLE", command, reason: `${operation} of ${path} failed: ${reason}` };
}

function exitOf(end: ChildEnd): Pick<Ran, "exitCode" | "outcome"> {
  switch (end.kind) {
    case "exited":
      return { exitCode: end.code, outcome: `exited with ${end.code}` };
    case "signaled":
      return { exitCode: 128 + numberOf(end.signal), outcome: `was ended by ${end.signal}` };
    case "aborted":
      return { exitCode: 128 + numberOf(end.signal), outcome: `was interrupted by ${end.signal}` };
    default:
      return { exitCode: TIMED_OUT, outcome: "was ended: it took longer than --timeout allows" };
  }
}

function numberOf(signal: string): number {
  return Object.entries(constants.signals).find(([name]) => name === signal)?.[1] ?? 0;
}
