import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pi as adapter } from "../../../packages/workflow-agent-cli/src/index.js";
import type { Subject } from "../types.js";
import { underAdapter } from "./under-adapter.js";

const PROVIDER = ["--provider", "fake", "--model", "fake-model"];

/**
 * pi through uwf-pi. It is told not to try again, which leaves the two retries of its HTTP client: then the step fails,
 * though pi exits with 0, and is done again.
 */
export const pi: Subject = {
  ...underAdapter(adapter, PROVIDER),
  env: { PI_OFFLINE: "1" },
  configure: ({ home, baseUrl }) => {
    const folder = join(home, ".pi/agent");
    mkdirSync(folder, { recursive: true });
    const fake = { baseUrl, api: "openai-completions", apiKey: "x", models: [{ id: "fake-model" }] };
    writeFileSync(join(folder, "models.json"), JSON.stringify({ providers: { fake } }));
    writeFileSync(join(folder, "settings.json"), JSON.stringify({ retry: { enabled: false } }));
  },
  shell: (command) => ({ kind: "calls", tool: "bash", arguments: { command } }),
  givesUpAfter: 3,
  tellsUsage: true,
};
