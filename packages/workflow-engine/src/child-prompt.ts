import type { JsonValue } from "@uncaged/json-cas";
import type { AgentContext } from "@uncaged/workflow-agent-kit";
import { toYaml } from "./yaml.js";

/** The task of a child thread. The same for every run of the step, so that a child that is found again fits it. */
export function childPrompt(context: ParentContext, kind: "role" | "task", item: Item | null): string {
  const { start, roleDefinition } = context;
  const { goal, procedure, output } = roleDefinition;
  const own = [
    section("Goal", goal),
    section("Procedure", procedure),
    section("Output", output),
    section("This is part of the task", start.prompt),
    section(RESULTS_TITLE, resultsOf(context)),
  ];
  const parts = kind === "task" ? [start.prompt.trim()] : own;
  return [...parts, itemText(item)].filter((text) => text !== "").join("\n\n");
}

/** What a child learns about its parent. */
type ParentContext = Pick<AgentContext, "start" | "steps" | "threadId"> & {
  readonly roleDefinition: Pick<AgentContext["roleDefinition"], "goal" | "procedure" | "output">;
};

/** One of several that a role works on. */
export type Item = { readonly index: number; readonly count: number; readonly value: JsonValue };

function itemText(item: Item | null): string {
  if (item === null) return "";
  return section(partTitle(item.index, item.count), toYaml(item.value));
}

function section(title: string, text: string): string {
  return text.trim() === "" ? "" : `# ${title}\n\n${text.trim()}`;
}

/** The newest output of every role, in characters at most; the rest is in the parent's history. */
const LONGEST = 64 * 1024;

function resultsOf({ steps, threadId }: ParentContext): string {
  const newest = new Map(steps.map(({ role, output }) => [role, output]));
  if (newest.size === 0) return "";
  const text = toYaml(Object.fromEntries(newest));
  if (text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST)}\n(cut off; \`uwf thread read ${threadId}\` shows everything)`;
}

/** The title of the section in which the task of a child thread has its item: the last one of the task. */
function partTitle(index: number, count: number): string {
  return `Your part: item ${index + 1} of ${count}`;
}

const PART = /(?:^|\n)# Your part: (item \d+ of \d+)\n\n/g;

/** The section that may follow where the item is that of a thread above. */
const RESULTS_TITLE = "Results so far";

const RESULTS = `\n\n# ${RESULTS_TITLE}\n\n`;

/** On which of several items a thread works. */
type Part = {
  /** `item 2 of 3`. */
  readonly which: string;
  /** YAML. */
  readonly item: string;
};

/** `null`: on all there is. */
export function partIn(task: string): Part | null {
  const found = [...task.matchAll(PART)].at(-1);
  if (found === undefined) return null;
  const [whole, which = ""] = found;
  const [item = ""] = task.slice(found.index + whole.length).split(RESULTS, 1);
  return { which, item: item.trimEnd() };
}
