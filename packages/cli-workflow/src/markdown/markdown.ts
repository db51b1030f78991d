import { stringify } from "yaml";
import type { HeaderView, StepView } from "./types.js";

const STATES = { active: "active", end: "ended", killed: "killed" } as const;

export function renderHeader(view: HeaderView): string {
  return [
    `# Thread ${view.thread}`,
    "",
    `- workflow: ${view.workflow.name} (${view.workflow.hash})`,
    `- started: ${utc(view.startedAt)}`,
    `- state: ${STATES[view.state]}, ${view.steps} step${view.steps === 1 ? "" : "s"}`,
    "",
    "## Task",
    "",
    view.prompt.trimEnd(),
    "",
  ].join("\n");
}

export function renderStep(view: StepView): string {
  const yaml = stringify(view.output, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
  const fence = fenceFor(yaml);
  const lines = [
    `## ${view.number}. ${view.role}`,
    "",
    `${view.hash} · ${view.agent} · ${utc(view.timestamp)}`,
    "",
    `${fence}yaml`,
    yaml,
    fence,
    "",
  ];
  const reply = view.reply?.trim() ?? "";
  return [...lines, ...(reply === "" ? [] : [reply, ""])].join("\n");
}

/** The line in place of older steps that did not fit. */
export function renderOmitted(thread: string, count: number, oldestShown: string): string {
  const steps = count === 1 ? "1 earlier step" : `${count} earlier steps`;
  return `*${steps}: \`uwf thread read ${thread} --before ${oldestShown}\`*\n`;
}

function utc(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** A fence that nothing inside can close. */
function fenceFor(content: string): string {
  const longest = Math.max(0, ...(content.match(/`+/g) ?? []).map((run) => run.length));
  return "`".repeat(Math.max(3, longest + 1));
}
