import { CODING_AGENTS, type OwnAgentName, WHO_PLAYS } from "@uncaged/workflow-engine";
import { code, defineTopic, list, section } from "../line/index.js";
import { ADDED_AGENTS } from "./added.made.js";

/** How each of ours is called, and what plays the role then. */
const OWN: Readonly<Record<OwnAgentName, readonly [usage: string, plays: string]>> = {
  "uwf-acp": ["`uwf-acp -- <command>`", "anything that speaks the Agent Client Protocol"],
  "uwf-react": ["`uwf-react`", "a model from config.yaml, with tools"],
  "uwf-llm": ["`uwf-llm`", "a model from config.yaml, without tools"],
  "uwf-exec": ["`uwf-exec -- <command>`", "an ordinary command: tests, linters, a deploy script"],
  "uwf-worktree": ["`uwf-worktree -- <agent>`", "any of them, in a git worktree of the thread's own"],
  "uwf-workflow": ["`uwf-workflow <name>`", "another workflow, as a child thread"],
  "uwf-mock": ["`uwf-mock --scenario <file>`", "a scenario, for demos and tests"],
};

export const agents = defineTopic("agents", [
  section(
    "Who plays a role",
    "The first of these that is set:",
    list(...WHO_PLAYS.map(({ words, where }) => [`\`${words}\``, where] as const)),
    "A command is one program with its arguments; no shell runs it. If a plain `--agent` displaces an override, uwf says so on stderr. A role or workflow that `agentOverrides` misspells is an error. `uwf thread next <thread>` prints the next role.",
  ),
  section(
    "Agents that come with uwf",
    list(
      [
        CODING_AGENTS.map((name) => `\`${name}\``).join(", "),
        "the coding agents of these names, with their own login; `--check` prints whether they can run",
      ],
      ...Object.values(OWN),
      ...ADDED_AGENTS.map(({ name, plays }) => [`\`${name}\``, plays] as const),
    ),
  ),
  section(
    "Configuring one",
    code(`# config.yaml
agents:
  claude:
    command: uwf-claude
    args: [--model, opus]
    timeoutSeconds: 3600
    idleSeconds: 600
    retries: 2
defaultAgent: claude
agentOverrides:
  solve-issue: { reviewer: claude }`),
    "`uwf setup` writes the first one, `uwf doctor` checks it.",
  ),
  section(
    "Writing one",
    "Any command `uwf-<name> [args…] <thread-id> <role>` that writes a StepNode and prints its hash. In JavaScript the kit does everything but the work:",
    code(`#!/usr/bin/env node
import { createAgent } from "@uncaged/workflow-agent-kit";

await createAgent({
  name: "uwf-echo",
  run: async ({ prompt }) => ({
    kind: "text",
    text: \`---\\nlength: \${prompt.length}\\n---\\n\`,
  }),
})();`),
    "In other languages `uwf-agent-prompt` prints the prompt and `uwf-agent-write` turns a reply into a step. `uwf-agent-check <command>` runs an agent as uwf does and reports what is wrong with it. The complete contract is docs/agent-protocol.md.",
  ),
]);
