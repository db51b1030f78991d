import type { JsonValue } from "@uncaged/json-cas";
import { err, messageOf } from "@uncaged/workflow-protocol";
import { loadConfig, type Storage } from "@uncaged/workflow-store";
import { type LlmExtracted, type LlmExtractInput, llmExtract } from "./chat.js";
import { extractModel } from "./model.js";
import type { ChatPort } from "./types.js";

export type ConfiguredExtract = {
  readonly storage: Storage;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly schema: JsonValue;
  readonly reply: string;
  readonly accept: LlmExtractInput["accept"];
};

export type ConfiguredExtracted = {
  readonly value: LlmExtracted["value"];
  /** The model with its input and answers; `null`: it was not asked. */
  readonly session: ExtractSession | null;
};

/** What a model did to read the output out of a reply. */
export type ExtractSession = Omit<LlmExtracted, "value"> & {
  readonly model: string;
  /** Epoch ms. */
  readonly startedAt: number;
  readonly durationMs: number;
};

/** Layer 2 with the model that config.yaml names; without one the error says what to configure. */
export async function configuredExtract(
  { storage, env, schema, reply, accept }: ConfiguredExtract,
  port: ChatPort,
): Promise<ConfiguredExtracted> {
  const loaded = await loadConfig(storage);
  if (!loaded.ok) return notAsked(messageOf(loaded.error));
  const model = extractModel(loaded.value.config, env);
  if (!model.ok) return notAsked(`not possible: ${model.error}`);
  const { name } = model.value;
  const startedAt = port.now();
  const asked = { model: model.value, schema, reply, store: storage.cas, accept };
  const { value, ...said } = await llmExtract(asked, port);
  const session = { ...said, model: name, startedAt, durationMs: Math.max(0, port.now() - startedAt) };
  return { value: value.ok ? value : err(value.error.map((line) => `${name}: ${line}`)), session };
}

function notAsked(reason: string): ConfiguredExtracted {
  return { value: err([reason]), session: null };
}
