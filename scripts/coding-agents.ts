import * as adapters from "../packages/workflow-agent-cli/src/adapters/index.js";
import type { Adapter } from "../packages/workflow-agent-cli/src/index.js";

// The programs that work as agents by themselves, each with its adapter, for what is made of them.

const all: readonly unknown[] = Object.values(adapters);

/** By name. */
export const CODING_AGENTS: readonly Adapter[] = all
  .filter(isAdapter)
  .sort((a, b) => (a.name < b.name ? -1 : 1));

function isAdapter(value: unknown): value is Adapter {
  return typeof value === "object" && value !== null && "programs" in value && "ownFolders" in value;
}

const TABLE = /(?<=<!-- coding agents: made by `bun run docs` -->\n\n)[\s\S]*?(?=\n<!-- end -->)/;

/** docs/agents.md with its table of coding agents. */
export function withCodingAgents(text: string): string {
  return text.replace(TABLE, codingAgentsTable);
}

function codingAgentsTable(): string {
  const rows = CODING_AGENTS.map((agent) => {
    const { name, programs, ownFolders, keyVariables, tried } = agent;
    const cells = [
      `\`uwf-${name}\``,
      [...programs.map((program) => `\`${program}\``)].join(", else "),
      `\`${resumed(agent)}\``,
      ownFolders.map((folder) => `\`~/${folder}\``).join(", "),
      keyVariables.map((variable) => `\`${variable}\``).join(", "),
      tried === null ? "" : `${tried.package} ${tried.version}`,
    ];
    return `| ${cells.join(" | ")} |\n`;
  });
  return `| agent | drives | continues a session with | keeps its files in | reads keys from | tried with |
|---|---|---|---|---|---|
${rows.join("")}`;
}

/** The words that only the call has which continues a session. */
function resumed({ call }: Adapter): string {
  const request = { prompt: "<prompt>", args: [], env: {}, isRoot: false };
  const begun = call({ ...request, resume: null }).args;
  return call({ ...request, resume: "<id>" })
    .args.filter((word) => !begun.includes(word))
    .join(" ");
}
