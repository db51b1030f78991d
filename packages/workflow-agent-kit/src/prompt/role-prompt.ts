import { delimit } from "./delimit.js";
import { HISTORY_BUDGET, renderHistory } from "./history.js";
import { joined, section, subsection, titleOf, toldHistory } from "./sections.js";
import type { RolePromptInput } from "./types.js";

/** The whole prompt of one step: format, scope, role, task, history, in this order; empty parts are left out. */
export function buildRolePrompt(input: RolePromptInput): string {
  const history = renderHistory(input.steps, input.thread, input.historyBudget ?? HISTORY_BUDGET);
  const sections = [
    section("Deliverable format", input.outputFormatInstruction),
    section("Scope", scopeText(input)),
    section("Role", roleText(input)),
    section("Task", `The task of the whole workflow:\n\n${delimit("task", {}, input.task)}`),
    section(
      "What happened so far",
      history === "" ? "" : toldHistory("Earlier steps of this thread", history),
    ),
  ];
  return `${joined(sections)}\n`;
}

function scopeText({ role, workflow }: RolePromptInput): string {
  return (
    `You act as ${role}, one role of the workflow ${workflow}, for this single step. Deliver what this role owes and ` +
    "nothing else: other roles do their own part, and the workflow decides from your header who comes next. " +
    "Do not step, start or end workflow threads yourself."
  );
}

function roleText({ role, definition }: RolePromptInput): string {
  const { description, goal, capabilities, procedure, output } = definition;
  return joined([
    titleOf(role, description),
    subsection("Goal", goal),
    subsection("Capabilities", capabilities.map((capability) => `- ${capability.trim()}`).join("\n")),
    subsection("Procedure", procedure),
    subsection("Output", output),
  ]);
}
