import { type Fault, messageOf, ok, type Result, type ThreadUsageOutput } from "@uncaged/workflow-protocol";
import { type Chain, readFailedUsage, readSession, type Storage } from "@uncaged/workflow-store";
import { sanitizeTerminal, timeOfThreadId } from "@uncaged/workflow-util";
import { renderUsage, sumOf } from "../../usage.js";
import { document, text } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";
import { readHistory, type ThreadHistory } from "./nodes.js";

type UsageRequest = { readonly thread: string; readonly table: boolean };

type StepUsage = ThreadUsageOutput["steps"][number];

/** Tokens and cost of every step and failed run, and of the thread. */
export async function threadUsage(context: CommandContext, request: UsageRequest): CommandResult {
  const history = await readHistory(context, request.thread);
  if (!history.ok) return history;
  const { storage, state, chain } = history.value;
  const steps = stepsOf(storage, chain, timeOfThreadId(state.thread));
  if (!steps.ok) return steps;
  const failed = failedOf(context, history.value);
  const usage = outputOf(history.value, steps.value, failed);
  return request.table && context.format === null
    ? text(sanitizeTerminal(renderUsage(usage)))
    : document(usage);
}

function stepsOf({ cas }: Storage, chain: Chain, created: number): Result<readonly StepUsage[], Fault> {
  const steps: StepUsage[] = [];
  for (const { hash, timestamp, payload } of chain.steps) {
    const { role, agent } = payload;
    const session = readSession(cas, payload.detail);
    if (!session.ok) return session;
    const { model = null, sessionId = null, usage = null, durationMs = null } = session.value ?? {};
    const extract = session.value?.extract ?? null;
    const inherited = timestamp < created;
    steps.push({ hash, role, agent, model, sessionId, usage, extract, durationMs, inherited, timestamp });
  }
  return ok(steps);
}

/** The log is not part of the history: if it cannot be read, a warning is printed and nothing else changes. */
function failedOf(context: CommandContext, { storage, state }: ThreadHistory): ThreadUsageOutput["failed"] {
  const created = timeOfThreadId(state.thread);
  // The clock went back: everything since then has an earlier time.
  const since = created > context.host.now() ? 0 : created;
  const failed = readFailedUsage(storage, { thread: state.thread, since });
  if (failed.ok) return failed.value;
  context.warn(`the failed runs are not known: ${messageOf(failed.error)}`);
  return null;
}

function outputOf(
  { state, chain }: ThreadHistory,
  steps: readonly StepUsage[],
  failed: ThreadUsageOutput["failed"],
): ThreadUsageOutput {
  const own = steps
    .filter(({ inherited }) => !inherited)
    .flatMap(({ usage, extract }) => (extract === null ? [usage] : [usage, extract.usage]));
  const lost =
    failed?.flatMap(({ usage, extractUsage }) => (extractUsage === null ? [usage] : [usage, extractUsage])) ??
    null;
  const total = sumOf([...own, ...(lost ?? [])]);
  return {
    thread: state.thread,
    workflow: chain.workflow.hash,
    steps,
    failed,
    total,
    failedTotal: lost === null ? null : sumOf(lost),
    complete: failed !== null && total.unknown.tokens === 0 && total.unknown.cost === 0,
  };
}
