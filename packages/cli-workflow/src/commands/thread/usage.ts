import { argument, flag } from "@uncaged/command-line";
import {
  addedSums,
  type Fault,
  messageOf,
  ok,
  programOf,
  type Result,
  sumOfUsage,
  type ThreadId,
  type ThreadUsageOutput,
  type Usage,
  type UsageSum,
} from "@uncaged/workflow-protocol";
import {
  type Chain,
  costsNothing,
  type Family,
  playsByThreads,
  readFailedRuns,
  readFamily,
  readSession,
  type Storage,
} from "@uncaged/workflow-store";
import { isInherited, timeOfThreadId } from "@uncaged/workflow-util";
import { type CommandContext, defineRootCommand, THREAD } from "../../line/index.js";
import { count, counted, money, type Row, renderTable, type Screen } from "../../screen/index.js";
import { readShortIds } from "../known-names.js";
import { document, text } from "../output.js";
import { readHistory, type ThreadHistory } from "./nodes.js";

export const command = defineRootCommand({
  path: "thread usage",
  summary: "print tokens and cost of every step, failed runs included",
  arguments: { thread: argument(THREAD) },
  options: { table: flag("print a table instead of a document") },
  examples: ["uwf thread usage 01KAJ5E8 | jq .total", "uwf thread usage 01KAJ5E8 --table"],
  sample: {
    line: "thread usage W8YB",
    prints: `ROLE       AGENT     MODEL  INPUT  OUTPUT  TOTAL  COST  STEP
planner    uwf-mock  ?          ?       ?      ?     ?  968RK709D8JWK
…`,
  },
  onRemote: {},
  run: async (context, { thread, table }, storage) => {
    const history = await readHistory(storage, thread, context.host.cwd);
    if (!history.ok) return history;
    const family = readFamily(storage);
    if (!family.ok) return family;
    const read = await readUsage(context, history.value, family.value, []);
    if (!read.ok) return read;
    const usage = read.value;
    if (table && context.format === null && context.screen === null)
      return text(renderUsage(usage, null, (id) => id));
    return document(usage, async (screen) => renderUsage(usage, screen, await readShortIds(storage)));
  },
});

type StepUsage = ThreadUsageOutput["steps"][number];

/**
 * Tokens and cost of every step and failed run, of the threads that it has started, and of all together. `above`: those that
 * have started it: a family that a person has edited may lead in circles.
 */
async function readUsage(
  context: CommandContext,
  history: ThreadHistory,
  family: Family,
  above: readonly ThreadId[],
): Promise<Result<ThreadUsageOutput, Fault>> {
  const { storage, state, chain } = history;
  const { thread } = state;
  const read = readSteps(context, storage, chain, timeOfThreadId(thread));
  if (!read.ok) return read;
  const steps = read.value;
  const failed = failedOf(context, history);
  const children: ChildUsage[] = [];
  for (const { child, role, item } of family.childrenOf(thread)) {
    if (child === thread || above.includes(child)) continue;
    const below = await readHistory(storage, child);
    // Its start was cut short.
    if (!below.ok && below.error.code === "THREAD_NOT_FOUND") continue;
    if (!below.ok) return below;
    const usage = await readUsage(context, below.value, family, [...above, thread]);
    if (!usage.ok) return usage;
    const { total, complete } = usage.value;
    children.push({ thread: child, role, item, total, complete });
  }
  const details = new Map(chain.steps.map(({ hash, payload }) => [hash, payload.detail]));
  const own = steps
    .filter(({ inherited, hash }) => !inherited && !costsNothing(storage.cas, details.get(hash) ?? hash))
    .flatMap(({ usage, extract }) => (extract === null ? [usage] : [usage, extract.usage]));
  const lost =
    failed
      ?.filter(({ agent }) => !playsByThreads(agent ?? ""))
      .flatMap(({ usage, extractUsage }) => (extractUsage === null ? [usage] : [usage, extractUsage])) ??
    null;
  const total = addedSums([sumOfUsage([...own, ...(lost ?? [])]), ...children.map((child) => child.total)]);
  const { tokens, cost } = total.unknown;
  const isKnown = failed !== null && tokens === 0 && cost === 0;
  return ok({
    thread,
    workflow: chain.workflow.hash,
    ...{ steps, failed, children, total },
    failedTotal: lost === null ? null : sumOfUsage(lost),
    complete: isKnown && children.every(({ complete }) => complete),
  });
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
  const failed = readFailedRuns(storage, { thread: state.thread, since });
  if (failed.ok)
    return failed.value.map(({ failure, head, sessionId, usage, extractUsage, durationMs }) => {
      const { outcome, role, agent, code, timestamp } = failure;
      return { outcome, head, role, agent, code, sessionId, usage, extractUsage, durationMs, timestamp };
    });
  context.warn(`the failed runs are not known: ${messageOf(failed.error)}`);
  return null;
}

const TITLES = ["role", "agent", "model", "input", "output", "total", "cost", "step"];

/** The columns that hold numbers, and those that may be cut. */
const RIGHT: ReadonlySet<string> = new Set(["input", "output", "total", "cost"]);
const SHRINKING: ReadonlySet<string> = new Set(["role", "agent", "model"]);

/** How numbers are written. */
type Words = { readonly count: (value: number) => string; readonly money: (usd: number) => string };

const EXACT: Words = { count: String, money: (usd) => `$${usd.toFixed(4)}` };

const SHORT: Words = { count, money };

/**
 * The usage of a thread for a person: a row for each step and failed run, in the order of time, then the total. `screen`
 * is `null` for `--table` in a pipe: exact numbers, complete lines.
 */
function renderUsage(usage: ThreadUsageOutput, screen: Screen | null, idOf: (id: string) => string): string {
  const words = screen === null ? EXACT : SHORT;
  const rows = [
    ...rowsOf(usage, words),
    ...usage.children.map((child) => childRow(child, words, idOf)),
    ["total", "", "", ...numbersOf(usage.total, words), ""],
  ];
  const columns = TITLES.map((title) => ({
    title: screen === null ? title : title.toUpperCase(),
    align: RIGHT.has(title) ? ("right" as const) : ("left" as const),
    shrinks: SHRINKING.has(title),
  }));
  const notes = notesOn(usage).map((note) => `${note}\n`);
  return renderTable(screen ?? ENDLESS, columns, rows) + notes.join("");
}

const ENDLESS: Screen = { width: Number.POSITIVE_INFINITY, colour: false, now: 0 };

function rowsOf({ steps, failed }: ThreadUsageOutput, words: Words): readonly Row[] {
  const taken = steps.map(({ timestamp, role, agent, model, usage, extract, hash, inherited }) => ({
    ...{ timestamp, role, extract, agent: programOf(agent) },
    numbers: usesNothing(agent) ? NOTHING : [model ?? UNKNOWN, ...numbersOf(usage, words)],
    mark: inherited ? `${hash} (of another thread)` : hash,
  }));
  const lost = (failed ?? []).map(({ timestamp, role, agent, usage, extractUsage, outcome }) => ({
    ...{ timestamp, role: role ?? UNKNOWN, agent: agent ?? UNKNOWN, mark: outcome },
    extract: extractUsage === null ? null : { model: null, usage: extractUsage },
    numbers: [UNKNOWN, ...numbersOf(usage, words)],
  }));
  return [...taken, ...lost]
    .sort((one, other) => one.timestamp - other.timestamp)
    .flatMap(({ role, agent, numbers, extract, mark }) => [
      [role, agent, ...numbers, mark],
      ...(extract === null
        ? []
        : [[role, EXTRACT, extract.model ?? UNKNOWN, ...numbersOf(extract.usage, words), mark]]),
    ]);
}

const UNKNOWN = "?";

/** Model, tokens and cost of a step that no model has taken. */
const NOTHING = ["-", "-", "-", "-", "-"];

/** A person's step; one of threads, which have rows of their own. */
function usesNothing(agent: string): boolean {
  return agent === "human" || playsByThreads(programOf(agent));
}

/** Takes the place of an agent: the model that extracted the output from its reply. */
const EXTRACT = "(extract)";

function numbersOf(usage: Usage | UsageSum | null, words: Words): readonly string[] {
  const { inputTokens = null, outputTokens = null, totalTokens = null, costUsd = null } = usage ?? {};
  const tokens = [inputTokens, outputTokens, totalTokens].map((value) =>
    value === null ? UNKNOWN : words.count(value),
  );
  return [...tokens, costUsd === null ? UNKNOWN : words.money(costUsd)];
}

function childRow(
  { thread, role, item, total }: ThreadUsageOutput["children"][number],
  words: Words,
  idOf: (id: string) => string,
): Row {
  const who = item === null ? role : `${role} ${item + 1}`;
  return [who, CHILD, "", ...numbersOf(total, words), idOf(thread)];
}

/** Takes the place of an agent: a thread that plays the role. */
const CHILD = "(thread)";

function notesOn({ total: { unknown }, failed, steps }: ThreadUsageOutput): readonly string[] {
  const inherited = steps.filter((step) => step.inherited).length;
  const { tokens, cost } = unknown;
  const isBoth = tokens > 0 && tokens === cost;
  const notes = [
    ...(isBoth ? [`the tokens and the cost of ${counted(tokens, "run")}, which are unknown`] : []),
    ...(tokens > 0 && !isBoth ? [`the tokens of ${counted(tokens, "run")}, which are unknown`] : []),
    ...(cost > 0 && !isBoth ? [`the cost of ${counted(cost, "run")}, which is unknown`] : []),
    ...(failed === null ? ["failed runs: the log cannot be read"] : []),
    ...(inherited > 0 ? [`${counted(inherited, "step")} of another thread`] : []),
  ];
  return notes.map((note) => `the total leaves out ${note}`);
}
