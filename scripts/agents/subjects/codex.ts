import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codex as adapter } from "../../../packages/workflow-agent-cli/src/index.js";
import type { Place, Subject } from "../types.js";
import { underAdapter } from "./under-adapter.js";

function configure({ home, baseUrl }: Place): void {
  const folder = join(home, ".codex");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "config.toml"),
    `model = "gpt-5"
model_provider = "fake"

[model_providers.fake]
name = "fake"
base_url = "${baseUrl}"
wire_api = "responses"
env_key = "CODEX_API_KEY"
request_max_retries = 2
stream_max_retries = 2
`,
  );
}

/** OpenAI Codex through uwf-codex. It tries again by itself after a 500, and counts over its session. */
export const codex: Subject = {
  ...underAdapter(adapter, []),
  env: { CODEX_API_KEY: "x" },
  configure,
  shell: (command) => ({ kind: "calls", tool: "exec_command", arguments: { cmd: command } }),
  givesUpAfter: null,
  tellsUsage: true,
};
