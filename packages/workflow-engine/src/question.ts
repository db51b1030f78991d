import type { JsonValue, Store } from "@uncaged/json-cas";
import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt, type OpenHistory, readOutput } from "@uncaged/workflow-store";
import { partIn } from "./child-prompt.js";
import { toYaml } from "./yaml.js";

/** What a person is asked as a role, as Markdown: what the role is for, the thread's task, the newest step. */
export function questionText(store: Store, { workflow, start, newest }: OpenHistory, role: string): string {
  const { goal, procedure, description } = workflow.payload.roles[role] ?? {};
  const part = partIn(start.payload.prompt);
  const sections = [
    `# ${role}${description ? `: ${description}` : ""}`,
    goal,
    procedure,
    part === null ? "" : `## Your part: ${part.which}\n\n\`\`\`yaml\n${part.item}\n\`\`\``,
    `## Task\n\n${start.payload.prompt}`,
  ];
  const output = newest === null ? null : readOutput(store, newest.payload.output);
  if (newest !== null && output?.ok) {
    sections.push(`## Newest step: ${newest.payload.role}\n\n\`\`\`yaml\n${toYaml(output.value)}\`\`\``);
  }
  const sentences = sections.map((section) => section?.trim() ?? "").filter((section) => section !== "");
  return `${sentences.join("\n\n")}\n`;
}

/** A question, and the JSON Schema of its answer. */
type Question = { readonly question: string; readonly meta: JsonValue };

/** The question with the schema that an answer has to satisfy. */
export function buildQuestion(store: Store, history: OpenHistory, role: string): Result<Question, Fault> {
  const type = history.workflow.payload.roles[role]?.meta;
  const meta = attempt(() => (type === undefined ? null : store.get(type)));
  if (!meta.ok) return meta;
  return ok({ question: questionText(store, history, role), meta: meta.value?.payload ?? {} });
}
