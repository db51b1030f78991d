import { argument, flag } from "@uncaged/command-line";
import {
  addedSums,
  type CasRef,
  type Fault,
  messageOf,
  ok,
  type Result,
  sumOfUsage,
  type ThreadId,
  type ThreadUsageOutput,
} from "@uncaged/workflow-protocol";
import {
  type Chain,
  costsNothing,
  type Family,
  playsByThreads,
  readFailedUsage,
  readFamily,
  readSession,
  type Storage,
} from "@uncaged/workflow-store";
import { isInherited, timeOfThreadId } from "@uncaged/workflow-util";
import { type CommandContext, type CommandResult, defineCommand, THREAD } from "../../line/index.js";
import { readShortIds } from "../known-ids.js";
import { document, text } from "../output.js";
import { historyIn, readHistory, type ThreadHistory } from "./nodes.js";
import { renderUsage } from "./usage-table.js";

export const command = defineCommand({
  path: "thread usage",
  summary: "print tokens and cost of every step, failed runs included",
  arguments: { thread: argument(THREAD) },
  options: { table: flag("print a table instead of a document") },
  examples: ["uwf thread usage 01KAJ5E8 | jq .total", "uwf thread usage 01KAJ5E8 --table"],
  exits: ["OLDER_ROOT"],
  sample: {
    line: "thread usage W8YB",
    prints: `ROLE       AGENT     MODEL  INPUT  OUTPUT  TOTAL  COST  STEP
planner    uwf-mock  ?          ?       ?      ?     ?  968RK709D8JWK
…`,
  },
  onRemote: {},
  run: async (context, { thread, table }) => printUsage(context, thread, table),
});

type StepUsage = ThreadUsageOutput["steps"][number];

/** Tokens and cost of every step and failed run, of the threads that it has started, and of all together. */
async function printUsage(context: CommandContext, thread: string, table: boolean): CommandResult {
  const history = await readHistory(context, thread);
  if (!history.ok) return history;
  const family = readFamily(history.value.storage);
  if (!family.ok) return family;
  const read = await readUsage(context, history.value, { family: family.value, above: [] });
  if (!read.ok) return read;
  const usage = read.value;
  if (table && context.format === null && context.screen === null)
    return text(renderUsage(usage, null, (id) => id));
  return document(usage, async (screen) =>
    renderUsage(usage, screen, await readShortIds(history.value.storage)),
  );
}

/** Where in a tree a thread stands: a family that a person has edited may lead in circles. */
type Tree = { readonly family: Family; readonly above: readonly ThreadId[] };

async function readUsage(
  context: CommandContext,
  history: ThreadHistory,
  { family, above }: Tree,
): Promise<Result<ThreadUsageOutput, Fault>> {
  const { storage, state, chain } = history;
  const { thread } = state;
  const steps = readSteps(context, storage, chain, timeOfThreadId(thread));
  if (!steps.ok) return steps;
  const failed = failedOf(context, history);
  const children: ChildUsage[] = [];
  for (const { child, role, item } of family.childrenOf(thread)) {
    if (child === thread || above.includes(child)) continue;
    const below = await historyIn(storage, child);
    // Its start was cut short.
    if (!below.ok && below.error.code === "THREAD_NOT_FOUND") continue;
    if (!below.ok) return below;
    const usage = await readUsage(context, below.value, { family, above: [...above, thread] });
    if (!usage.ok) return usage;
    const { total, complete } = usage.value;
    children.push({ thread: child, role, item, total, complete });
  }
  return ok(outputOf(history, { steps: steps.value, failed, children }));
}

type ChildUsage = ThreadUsageOutput["children"][number];

function readSteps(
  { warn }: CommandContext,
  { cas }: Storage,
  chain: Chain,
  created: number,
): Result<readonly StepUsage[], Fault> {
  const steps: StepUsage[] = [];
  for (const { hash, timestamp, payload } of chain.steps) {
    const { role, agent } = payload;
    const session = readSession(cas, payload.detail);
    if (!session.ok) return session;
    if (session.value === null && !cas.has(payload.detail))
      warn(`what step ${hash} has used is not known: its detail ${payload.detail} does not exist`);
    const { model = null, sessionId = null, usage = null, durationMs = null } = session.value ?? {};
    const extract = session.value?.extract ?? null;
    const inherited = isInherited(timestamp, { created, start: chain.start.timestamp });
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

type Parts = {
  readonly steps: readonly StepUsage[];
  readonly failed: ThreadUsageOutput["failed"];
  readonly children: readonly ChildUsage[];
};

function outputOf(
  { storage, state, chain }: ThreadHistory,
  { steps, failed, children }: Parts,
): ThreadUsageOutput {
  const details = new Map(chain.steps.map(({ hash, payload }) => [hash, payload.detail]));
  const isFree = (hash: CasRef): boolean => costsNothing(storage.cas, details.get(hash) ?? hash);
  const own = steps
    .filter(({ inherited, hash }) => !inherited && !isFree(hash))
    .flatMap(({ usage, extract }) => (extract === null ? [usage] : [usage, extract.usage]));
  const lost =
    failed
      ?.filter(({ agent }) => !playsByThreads(agent ?? ""))
      .flatMap(({ usage, extractUsage }) => (extractUsage === null ? [usage] : [usage, extractUsage])) ??
    null;
  const total = addedSums([sumOfUsage([...own, ...(lost ?? [])]), ...children.map((child) => child.total)]);
  return {
    thread: state.thread,
    workflow: chain.workflow.hash,
    steps,
    failed,
    children,
    total,
    failedTotal: lost === null ? null : sumOfUsage(lost),
    complete:
      failed !== null &&
      total.unknown.tokens === 0 &&
      total.unknown.cost === 0 &&
      children.every(({ complete }) => complete),
  };
}
