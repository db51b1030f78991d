import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { opencode as adapter } from "../../../packages/workflow-agent-cli/src/index.js";
import type { Place, Subject } from "../types.js";
import { underAdapter } from "./under-adapter.js";

export const OPENCODE_ENV = {
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_MODELS_FETCH: "1",
} as const;

export function configureOpencode({ home, baseUrl }: Place): void {
  const folder = join(home, ".config/opencode");
  mkdirSync(folder, { recursive: true });
  const limit = { context: 131_072, output: 4096 };
  const fake = {
    npm: "@ai-sdk/openai-compatible",
    name: "Fake",
    options: { baseURL: baseUrl, apiKey: "x" },
    models: { "fake-model": { name: "Fake", limit } },
  };
  const model = "fake/fake-model";
  const config = { autoupdate: false, share: "disabled", model, small_model: model, provider: { fake } };
  writeFileSync(join(folder, "opencode.json"), JSON.stringify(config));
}

/** opencode through uwf-opencode. It tries again by itself after a 500. */
export const opencode: Subject = {
  ...underAdapter(adapter, []),
  env: OPENCODE_ENV,
  configure: configureOpencode,
  shell: (command) => ({ kind: "calls", tool: "bash", arguments: { command, description: "Runs it" } }),
  givesUpAfter: null,
  tellsUsage: true,
};
