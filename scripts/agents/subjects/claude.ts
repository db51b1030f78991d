import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { claude as adapter } from "../../../packages/workflow-agent-cli/src/index.js";
import type { Place, Subject } from "../types.js";
import { underAdapter } from "./under-adapter.js";

function configure({ home, baseUrl }: Place): void {
  const folder = join(home, ".claude");
  mkdirSync(folder, { recursive: true });
  const env = { ANTHROPIC_BASE_URL: new URL(baseUrl).origin, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
  writeFileSync(join(folder, "settings.json"), JSON.stringify({ env }));
}

/** Claude Code through uwf-claude. It tries again by itself after a 500. */
export const claude: Subject = {
  ...underAdapter(adapter, ["--model", "fake-model"]),
  env: { ANTHROPIC_API_KEY: "x" },
  configure,
  shell: (command) => ({ kind: "calls", tool: "Bash", arguments: { command, description: "Runs it" } }),
  givesUpAfter: null,
  tellsUsage: true,
};
