import { configSchema } from "@uncaged/workflow-store";
import { keysOf } from "./keys.js";
import { code, defineTopic, section } from "./types.js";

export const topic = defineTopic("configuration", [
  section(
    "config.yaml",
    "In the storage root. `uwf setup` writes the first one, `uwf doctor` checks it. API keys belong in `.env` beside it or in the environment, never here.",
    code(`providers:
  openrouter:
    baseUrl: https://openrouter.ai/api/v1
    apiKeyEnv: OPENROUTER_API_KEY
models:
  sonnet: { provider: openrouter, name: anthropic/claude-sonnet-4 }
agents:
  claude: { command: uwf-claude, args: [--model, opus], retries: 2 }
defaultAgent: claude
defaultModel: sonnet
limits:
  default: { maxSteps: 200 }`),
  ),
  section("Keys", keysOf(configSchema())),
  section(
    "A project",
    "A repository may contain `.workflows/config.yaml` with `agentOverrides`, `limits` and `maxDepth`: which alias plays which role, and what a thread may spend. Commands, models and addresses belong only in your own config.yaml, which wins if both set a value.",
  ),
]);
