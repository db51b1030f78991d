import { stringify } from "yaml";
import { renderDetail } from "./detail.js";
import { fenced } from "./fence.js";
import type { HeaderView, StepView } from "./types.js";

const STATES = { active: "active", end: "ended", failed: "ended as failed", killed: "killed" } as const;

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
  const lines = [
    `## ${view.number}. ${view.role}`,
    "",
    `${view.hash} · ${oneLine(view.agent)} · ${utc(view.timestamp)}${extractNote(view)}`,
    "",
    fenced(yaml, "yaml"),
    "",
  ];
  const reply = view.reply?.trim() ?? "";
  const inside = view.detail === null ? "" : renderDetail(view.detail);
  return [...lines, ...(reply === "" ? [] : [reply, ""]), ...(inside === "" ? [] : [inside, ""])].join("\n");
}

/** An output that the agent itself did not state is said to be none of its words. */
function extractNote({ extract }: StepView): string {
  return extract === null ? "" : ` · output extracted by ${extract.model ?? "a model"}`;
}

/** The line in place of older steps that did not fit. */
export function renderOmitted(thread: string, count: number, oldestShown: string): string {
  const steps = count === 1 ? "1 earlier step" : `${count} earlier steps`;
  return `*${steps}: \`uwf thread read ${thread} --before ${oldestShown}\`*\n`;
}

/** A script among an agent's arguments has lines. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

function utc(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
