import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Place, Subject } from "../types.js";

function configure({ home, baseUrl }: Place): void {
  const folder = join(home, ".claude");
  mkdirSync(folder, { recursive: true });
  const env = { ANTHROPIC_BASE_URL: new URL(baseUrl).origin, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
  writeFileSync(join(folder, "settings.json"), JSON.stringify({ env }));
}

/** Claude Code through uwf-claude. It tries again by itself after a 500. */
export const claude: Subject = {
  name: "claude through uwf-claude",
  program: { package: "@anthropic-ai/claude-code", version: "2.1.197", scripts: true },
  agent: { package: "workflow-agent-cli", command: "uwf-claude", args: ["--model", "fake-model"] },
  env: { ANTHROPIC_API_KEY: "x" },
  configure,
  shell: (command) => ({ kind: "calls", tool: "Bash", arguments: { command, description: "Runs it" } }),
  givesUpAfter: null,
  tellsUsage: true,
};
