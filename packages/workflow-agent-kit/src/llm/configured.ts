import type { JsonObject, JsonValue } from "@uncaged/json-cas";
import { err, messageOf, type Result } from "@uncaged/workflow-protocol";
import { loadConfig, type Storage } from "@uncaged/workflow-store";
import { type LlmExtractInput, llmExtract } from "./converse.js";
import { extractModel } from "./model.js";
import type { ChatPort } from "./types.js";

export type ConfiguredExtract = {
  readonly storage: Storage;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly schema: JsonValue;
  readonly reply: string;
  readonly accept: LlmExtractInput["accept"];
};

/** Layer 2 with the model that config.yaml names; without one the error says what to configure. */
export async function configuredExtract(
  { storage, env, schema, reply, accept }: ConfiguredExtract,
  port: ChatPort,
): Promise<Result<JsonObject, readonly string[]>> {
  const loaded = await loadConfig(storage);
  if (!loaded.ok) return err([messageOf(loaded.error)]);
  const model = extractModel(loaded.value.config, env);
  if (!model.ok) return err([`not possible: ${model.error}`]);
  const extracted = await llmExtract({ model: model.value, schema, reply, store: storage.cas, accept }, port);
  if (extracted.ok) return extracted;
  return err(extracted.error.map((line) => `${model.value.name}: ${line}`));
}
