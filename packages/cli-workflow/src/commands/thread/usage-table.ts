import { programOf, type ThreadUsageOutput, type Usage, type UsageSum } from "@uncaged/workflow-protocol";
import { playsByThreads } from "@uncaged/workflow-store";
import { count, money, type Row, renderTable, type Screen } from "../../screen/index.js";

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
export function renderUsage(
  usage: ThreadUsageOutput,
  screen: Screen | null,
  idOf: (id: string) => string,
): string {
  const words = screen === null ? EXACT : SHORT;
  const rows = [
    ...rowsOf(usage, words),
    ...usage.children.map((child) => childRow(child, words, idOf)),
    totalRow(usage, words),
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
  const taken = steps.flatMap(({ role, agent, model, usage, extract, hash, inherited, timestamp }) => {
    const mark = inherited ? `${hash} (of another thread)` : hash;
    const numbers = usesNothing(agent) ? NOTHING : [model ?? UNKNOWN, ...numbersOf(usage, words)];
    const row = [role, programOf(agent), ...numbers, mark];
    const extra =
      extract === null
        ? []
        : [[role, EXTRACT, extract.model ?? UNKNOWN, ...numbersOf(extract.usage, words), mark]];
    return [row, ...extra].map((each) => ({ timestamp, row: each }));
  });
  const lost = (failed ?? []).flatMap(({ role, agent, usage, extractUsage, outcome, timestamp }) => {
    const row = [role ?? UNKNOWN, agent ?? UNKNOWN, UNKNOWN, ...numbersOf(usage, words), outcome];
    const extra =
      extractUsage === null
        ? []
        : [[role ?? UNKNOWN, EXTRACT, UNKNOWN, ...numbersOf(extractUsage, words), outcome]];
    return [row, ...extra].map((each) => ({ timestamp, row: each }));
  });
  return [...taken, ...lost].sort((one, other) => one.timestamp - other.timestamp).map(({ row }) => row);
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

function totalRow({ total }: ThreadUsageOutput, words: Words): Row {
  return ["total", "", "", ...numbersOf(total, words), ""];
}

function notesOn({ total: { unknown }, failed, steps }: ThreadUsageOutput): readonly string[] {
  const inherited = steps.filter((step) => step.inherited).length;
  const notes = [
    ...unknownNotes(unknown),
    ...(failed === null ? ["failed runs: the log cannot be read"] : []),
    ...(inherited > 0 ? [`${inherited === 1 ? "1 step" : `${inherited} steps`} of another thread`] : []),
  ];
  return notes.map((note) => `the total leaves out ${note}`);
}

function unknownNotes({ tokens, cost }: UsageSum["unknown"]): readonly string[] {
  if (tokens > 0 && tokens === cost) return [`the tokens and the cost of ${runs(tokens)}, which are unknown`];
  return [
    ...(tokens > 0 ? [`the tokens of ${runs(tokens)}, which are unknown`] : []),
    ...(cost > 0 ? [`the cost of ${runs(cost)}, which is unknown`] : []),
  ];
}

function runs(count: number): string {
  return count === 1 ? "1 run" : `${count} runs`;
}
