import { delimit } from "./delimit.js";
import { HISTORY_BUDGET, renderHistory } from "./history.js";
import { joined, section, subsection, titleOf, toldHistory } from "./sections.js";
import type { RolePromptInput } from "./types.js";

/** Characters up to which a task is told again: a longer one stands in the session already. */
const SHORT_TASK = 2000;

/**
 * The prompt of a step that goes on in a session: format, scope, role, task, and what has happened since its last visit,
 * in this order. `steps` are those since then alone.
 */
export function buildResumePrompt(input: RolePromptInput): string {
  const since = renderHistory(input.steps, input.thread, input.historyBudget ?? HISTORY_BUDGET);
  const sections = [
    section("Deliverable format", input.outputFormatInstruction),
    section("Scope", scopeText(input)),
    section("Role", roleText(input)),
    section("Task", taskText(input)),
    section(
      "What happened since your last step",
      since === "" ? NOTHING_SINCE : toldHistory(STEPS_SINCE, since),
    ),
  ];
  return `${joined(sections)}\n`;
}

const STEPS_SINCE = "The steps of this thread after your last one";

const NOTHING_SINCE = "No other role had a step: from your own last one the workflow has come back to you.";

function scopeText({ role, workflow }: RolePromptInput): string {
  return (
    `You act as ${role} of the workflow ${workflow} again, for one further step, in the session of your last one. ` +
    "Deliver anew what this role owes, in the format above, and nothing else: other roles do their own part, and the " +
    "workflow decides from your header who comes next. Do not step, start or end workflow threads yourself."
  );
}

/** A reminder: the whole text was told when the session began. */
function roleText({ role, definition }: RolePromptInput): string {
  return joined([
    titleOf(role, definition.description),
    subsection("Goal", definition.goal),
    "Procedure and output are the ones that you were told before.",
  ]);
}

function taskText({ task, thread }: RolePromptInput): string {
  if (task.length > SHORT_TASK) {
    return `The task of the whole workflow is unchanged; \`uwf thread read ${thread}\` shows it again.`;
  }
  return `The task of the whole workflow, unchanged:\n\n${delimit("task", {}, task)}`;
}
