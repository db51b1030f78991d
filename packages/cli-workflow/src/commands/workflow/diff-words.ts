import type { JsonValue } from "@uncaged/json-cas";
import { type RolePlayer, shellWord, type Transition } from "@uncaged/workflow-protocol";
import { sanitizeTerminal } from "@uncaged/workflow-util";
import { diffLines, diffWordsWithSpace, type Change as Part } from "diff";
import { counted, cut, lines, nextCommand, type Paint, paintOn, type Screen } from "../../screen/index.js";
import type {
  Change,
  ConditionChange,
  RoleChange,
  SchemaChange,
  Section,
  WorkflowDiffOutput,
} from "./diff.js";

type Page = { readonly screen: Screen; readonly paint: Paint };

/** `named`: the second workflow as it was given. */
export function renderDiff(screen: Screen, diff: WorkflowDiffOutput, named: string): string {
  const page = { screen, paint: paintOn(screen) };
  const { a, b, same } = diff;
  const head = same
    ? `${a.name} ${a.hash}: no differences\n`
    : `${page.paint.bad(`- ${a.name} ${a.hash}`)}\n${page.paint.good(`+ ${b.name} ${b.hash}`)}\n`;
  const parts = [
    changeText(page, "name", diff.name) + changeText(page, "description", diff.description),
    section(page, "roles", diff.roles, (role) => roleText(page, role)),
    section(page, "conditions", diff.conditions, (condition) => conditionText(page, condition)),
    section(page, "graph", diff.graph, (change) => transitionsText(page, change)),
    threadsText(page, diff, named),
  ];
  return [head, ...parts.filter((part) => part !== "")].join("\n");
}

function section<T>(
  { paint }: Page,
  title: string,
  { added, removed, changed }: Section<T>,
  render: (entry: { readonly name: string } & T) => string,
): string {
  if (added.length + removed.length + changed.length === 0) return "";
  const gone = removed.map((name) => `  ${paint.bad(`- ${clean(name)}`)}\n`);
  const fresh = added.map((name) => `  ${paint.good(`+ ${clean(name)}`)}\n`);
  const others = changed.map((entry) => `  ${paint.warn(`~ ${clean(entry.name)}`)}\n${render(entry)}`);
  return `${paint.strong(title)}\n${[...gone, ...fresh, ...others].join("")}`;
}

const INDENT = "      ";

function roleText(page: Page, { texts, capabilities, agent, meta }: RoleChange): string {
  const list = (items: readonly string[]): string => items.map((item) => `${item}\n`).join("");
  const capable = capabilities === null ? null : { from: list(capabilities.from), to: list(capabilities.to) };
  const player = agent === null ? null : { from: playerText(agent.from), to: playerText(agent.to) };
  return [
    ...Object.entries(texts).map(([key, change]) => changeText(page, key, change, INDENT)),
    changeText(page, "capabilities", capable, INDENT),
    changeText(page, "agent", player, INDENT),
    ...meta.map((change) => schemaText(page, change)),
  ].join("");
}

function playerText(player: RolePlayer | null): string {
  return player === null ? "(none)" : JSON.stringify(player);
}

function conditionText(page: Page, { description, expression }: ConditionChange): string {
  return (
    changeText(page, "description", description, INDENT) + changeText(page, "expression", expression, INDENT)
  );
}

function schemaText({ screen, paint }: Page, { path, kind, from, to }: SchemaChange): string {
  const line = (sign: string, value: JsonValue): string =>
    cut(`${INDENT}${sign} meta${clean(path)}: ${clean(JSON.stringify(value))}`, screen.width);
  const gone = kind === "added" ? "" : `${paint.bad(line("-", from))}\n`;
  return `${gone}${kind === "removed" ? "" : `${paint.good(line("+", to))}\n`}`;
}

function transitionsText({ paint }: Page, { from, to }: Change<readonly Transition[]>): string {
  const text = (transitions: readonly Transition[]): string =>
    transitions
      .map(({ role, condition }) => `${role}${condition === null ? "" : ` if ${condition}`}\n`)
      .join("");
  return diffLines(text(from), text(to))
    .flatMap((part) => lineTexts(paint, part, true))
    .join("");
}

/** A text of one line with the words that differ, a longer one with its lines. */
function changeText(page: Page, title: string, change: Change<string> | null, indent = ""): string {
  if (change === null) return "";
  const { from, to } = change;
  if (!`${from.trimEnd()}${to.trimEnd()}`.includes("\n")) {
    const words = diffWordsWithSpace(from.trimEnd(), to.trimEnd());
    const text = words.map((part) => wordText(page, part)).join("");
    return `${indent}${title}: ${text}\n`;
  }
  const parts = diffLines(ended(from), ended(to)).flatMap((part) => lineTexts(page.paint, part, false));
  return `${indent}${title}:\n${parts.join("")}`;
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** Without colour as `git diff --word-diff` marks them. */
function wordText({ screen, paint }: Page, { value, added, removed }: Part): string {
  const text = clean(value);
  if (added) return screen.colour ? paint.good(text) : `{+${text}+}`;
  if (removed) return screen.colour ? paint.bad(text) : `[-${text}-]`;
  return text;
}

/** Unchanged lines are shown where all are short, as in a list of transitions. */
function lineTexts(paint: Paint, { value, added, removed }: Part, all: boolean): readonly string[] {
  if (!added && !removed && !all) return [];
  const shown = (line: string): string =>
    added ? paint.good(`+ ${line}`) : removed ? paint.bad(`- ${line}`) : `  ${line}`;
  return clean(value)
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => `${INDENT}${shown(line)}\n`);
}

function threadsText({ screen, paint }: Page, { same, threads }: WorkflowDiffOutput, named: string): string {
  const { active, movable, refused } = threads;
  if (active === 0 || same) return "";
  const summary = `${movable} of ${counted(active, "active thread")} of the first can go on under the second`;
  const screenText = lines(screen, [
    { text: summary, paint: movable === active ? paint.good : paint.warn },
    ...refused.map(({ count, reason, thread }) => `${count} cannot, first ${thread}: ${reason}`),
  ]);
  return movable === 0
    ? screenText
    : screenText + nextCommand(screen, `uwf thread fork <head> --workflow ${shellWord(named)} --dry-run`);
}

function clean(text: string): string {
  return sanitizeTerminal(text);
}
