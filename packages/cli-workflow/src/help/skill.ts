import type { Command } from "commander";
import { IDIOMS } from "./conditions.js";
import { pagesOf } from "./pages.js";
import { blockMarkdown, prose } from "./renderings.js";
import { TOPICS } from "./topics.js";

// `uwf skill`: what a coding agent needs to use uwf, to write a workflow, to write an agent. Commands, keys, idioms and
// exit codes come from the tables of the help.

export const SKILL_PARTS = ["cli", "author", "agent"] as const;

type Part = (typeof SKILL_PARTS)[number];

const ABOUT: Readonly<Record<Part, string>> = {
  cli: "run uwf workflows: start threads, step them, read what happened",
  author: "write a uwf workflow with its scenarios, and test it without a model",
  agent: "write an agent that plays a role in uwf workflows",
};

/** Markdown with the header that tools for skills expect. */
export function skillText(program: Command, parts: readonly Part[]): string {
  const name = parts.length === 1 ? `uwf-${parts[0]}` : "uwf";
  const about = parts.map((part) => ABOUT[part]).join("; ");
  const head = `---
name: ${name}
description: "How to ${about}. Use it for tasks about uwf, a workflow in .workflows/, or a thread id."
---

# uwf

uwf runs workflows of AI agents one step at a time. A workflow is a YAML file: roles, conditions, and a graph that leads from role to role. A thread is one run of a workflow with a task. A step runs one agent for one role, checks its output and stores it for good.
`;
  const texts = { cli: () => cli(program), author, agent } as const;
  return [head, ...parts.map((part) => texts[part]())].join("\n");
}

function cli(program: Command): string {
  return `## Use uwf

- Read stdout as JSON: without a terminal it is one document, whose form does not change. Sentences are on stderr.
- Decide by the exit code and by \`done\`, not by words. \`--error-format json\` gives failures as \`{code, message, hint, retryable, data}\`; do what \`hint\` says.
- Start with \`--key <key>\` if you may be called twice: the same key gives the same thread.
- Bound what you start: \`--max-cost\`, \`--max-steps\`, \`--timeout\`.
- Exit 9 means that the thread waits. Do not answer in a person's place unless the person asked you to.
- Exit 6 means that the agent failed: step again, at most twice, then look at \`uwf log --thread <thread>\`.
- Exit 75 means that another process steps the thread: \`--wait=60\`, or do nothing.
- Never edit files of the storage root. Everything goes through commands.
- \`uwf help <command>\` has examples and a sample of the output, \`uwf help <topic>\` the details: ${TOPICS.map(({ name }) => name).join(", ")}.

\`\`\`sh
uwf run <workflow> -p "<task>" --max-cost 5
uwf thread run latest
uwf thread read latest
\`\`\`

${commandsOf(program)}

Exit codes:

${blocksOf("exit-codes", "Exit codes")}
`;
}

/** The store and the shell are seldom an agent's business; their pages are in `uwf help`. */
const LEFT_OUT = /^uwf (?:cas (?!get|put-text|file|export|import)|completion|help|skill)/;

function commandsOf(program: Command): string {
  const pages = pagesOf(program).filter(({ name, blocks }) => blocks.length > 0 && !LEFT_OUT.test(name));
  return pages
    .map(({ usage, summary }) => `- \`${usage.replace(" [options]", "")}\`: ${prose(summary)}`)
    .join("\n");
}

function author(): string {
  return `## Write a workflow

\`\`\`sh
uwf init <name>
uwf workflow validate .workflows/<name>.yaml --strict
uwf workflow test <name>
uwf workflow graph <name>
\`\`\`

\`uwf init\` writes \`.workflows/<name>.yaml\` with comments on everything, and scenarios. Validate and test after every change; neither needs a model. This is a complete workflow:

${codeOf("workflows", "A workflow", "yaml")}

A scenario in \`<name>.scenario.yaml\` beside it says what each role replies at its first, second, … visit; the last one repeats:

${codeOf("scenarios", "A scenario", "yaml")}

Rules of thumb:

- One role, one decision. What a condition reads is a required field of \`meta\`: a boolean, a number, or a text with \`enum\`.
- A reply that does not fit \`meta\` is not recorded. Ask for few fields, and say in \`output\` what belongs in each.
- Transitions are tried in order; the last one of each role has \`condition: null\`.
- Every loop ends: count the visits in a condition and lead to \`$FAIL\`.
- \`procedure\` says what to do, \`goal\` when it is good. Agents get the task and the outputs of earlier steps; do not repeat them.
- Compare with the type of the field: \`= false\`, not \`= 'false'\`.
- \`agent: human\` makes a role a person's, \`agent: { workflow: <name> }\` another workflow's. No other command, model or address stands in a workflow.
- One scenario for each way through. The report lists transitions and conditions that none covers; leave none.
- A thread keeps the version with which it was started. After a correction: \`uwf thread fork <head> --workflow <name>\`.

Conditions are JSONata over \`{start, steps}\` and are true or false:

${IDIOMS.map(([expression, asks]) => `- \`${expression}\`: ${prose(asks)}`).join("\n")}
`;
}

function agent(): string {
  return `## Write an agent

${blocksOf("agents", "Writing one")}

- An ordinary command plays a role through \`uwf-exec -- <command>\`; the workflow routes on its exit code.
- Check it before you use it: \`uwf-agent-check <command>\`.
- Try it: \`uwf thread step <thread> --agent <command>\`.
- Print only the hash on stdout. Exit with anything but 0 to fail; with 9 to wait.
`;
}

function sectionOf(topic: string, title: string) {
  const section = TOPICS.find(({ name }) => name === topic)?.sections.find((each) => each.title === title);
  if (section === undefined) throw new Error(`the topic ${topic} has no section ${title}`);
  return section;
}

function blocksOf(topic: string, title: string): string {
  return sectionOf(topic, title).blocks.map(blockMarkdown).join("\n\n");
}

/** The first block of code of a section. */
function codeOf(topic: string, title: string, language: string): string {
  const block = sectionOf(topic, title).blocks.find(({ kind }) => kind === "code");
  return block?.kind === "code" ? `\`\`\`${language}\n${block.text}\n\`\`\`` : "";
}
