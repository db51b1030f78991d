import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gemini as adapter } from "../../../packages/workflow-agent-cli/src/index.js";
import type { Place, Subject } from "../types.js";
import { underAdapter } from "./under-adapter.js";

// At its start Gemini CLI deletes, in the background, each session that it cannot read. It may meet one half written.
const SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  general: {
    enableAutoUpdate: false,
    enableAutoUpdateNotification: false,
    sessionRetention: { enabled: false },
  },
  telemetry: { enabled: false },
} as const;

function configure({ home, baseUrl }: Place): void {
  const folder = join(home, ".gemini");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "settings.json"), JSON.stringify(SETTINGS));
  writeFileSync(join(folder, ".env"), `GOOGLE_GEMINI_BASE_URL=${new URL(baseUrl).origin}\n`);
}

/** Gemini CLI through uwf-gemini. It tries again by itself after a 500. */
export const gemini: Subject = {
  ...underAdapter(adapter, ["-m", "gemini-2.5-flash"]),
  env: { GEMINI_CLI_TRUST_WORKSPACE: "true", GEMINI_API_KEY: "x" },
  configure,
  shell: (command) => ({
    kind: "calls",
    tool: "run_shell_command",
    arguments: { command, description: "Runs it" },
  }),
  givesUpAfter: null,
  tellsUsage: true,
};
