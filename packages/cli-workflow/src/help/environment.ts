import { VARIABLES, type VariableFor } from "@uncaged/workflow-protocol";
import { blockMarkdown } from "./as-markdown.js";
import { type Block, defineTopic, list, type Section, section } from "./types.js";

const SECTIONS: readonly Section[] = [
  section(
    "Read by uwf",
    variablesFor("person"),
    "A `.env`, `bunfig.toml`, `tsconfig.json`, `package.json` or `node_modules/` of the current folder has no effect, except that values of the `.env` are redacted. `NODE_OPTIONS` and `BUN_OPTIONS` belong to the runtimes and work as usual. Agents read the `.env` of the storage root.",
  ),
  section(
    "Given to an agent",
    variablesFor("agent"),
    "An agent inherits everything else that uwf has, or, if `agents.<alias>.env` lists names, only those and `PATH`, `HOME` and `PWD`.",
  ),
  section("Given to the command of an agent", variablesFor("command")),
];

export const topic = defineTopic("environment", SECTIONS);

/** docs/environment.md: the topic, and what uwf's own processes tell each other. */
export function environmentMarkdown(): string {
  const all = [...SECTIONS, section("Between uwf's own processes", variablesFor("process"))];
  const parts = all.map(({ title, blocks }) => `## ${title}\n\n${blocks.map(blockMarkdown).join("\n\n")}\n`);
  return `<!-- Made by \`bun run build\` from the table of workflow-protocol. Do not edit. -->

# Environment

${parts.join("\n")}`;
}

function variablesFor(whom: VariableFor): Block {
  const rows = Object.values(VARIABLES).filter((row) => row.for === whom);
  return list(...rows.map(({ name, does }) => [`\`${name}\``, does] as const));
}
