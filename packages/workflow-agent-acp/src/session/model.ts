import { type Fields, fieldsOf, listOf, textOf } from "../wire/index.js";
import { failed, failureOf } from "./outcome.js";
import type { Failure, OpenSession, Talk } from "./types.js";

// Agents tell their models in one of two ways: as an option of the session, or, the older ones, as a list of its own.

/** The model of a session, by the answer that opened it. */
export function currentModel(told: Fields): string | null {
  return textOf(modelOption(told)?.currentValue) ?? textOf(fieldsOf(told.models).currentModelId);
}

/** Sets the model that the user wants; `null` when the session has it now. */
export async function setModel(
  { connection, limits }: Talk,
  { sessionId }: OpenSession,
  told: Fields,
  model: string,
): Promise<Failure | null> {
  const option = modelOption(told);
  const configId = textOf(option?.id);
  const [method, params] =
    configId !== null
      ? ["session/set_config_option", { sessionId, configId, value: model }]
      : ["session/set_model", { sessionId, modelId: model }];
  if (configId === null && told.models === undefined) {
    return failed(
      `offers no choice of a model, so --model ${model} has no place; name it in the agent's own command`,
    );
  }
  const answer = await connection.request(method, params, limits.startMs);
  if (answer.kind === "result") return null;
  const { outcome } = failureOf(method, answer);
  const known = modelsIn(told, option);
  return failed(known.length === 0 ? outcome : `${outcome}; its models: ${known.slice(0, 20).join(", ")}`);
}

function modelOption(told: Fields): Fields | null {
  const options = listOf(told.configOptions);
  return (
    options.find(({ category }) => category === "model") ?? options.find(({ id }) => id === "model") ?? null
  );
}

function modelsIn(told: Fields, option: Fields | null): readonly string[] {
  const single = listOf(option?.options);
  const grouped = single.flatMap((group) => listOf(group.options));
  const listed = [...single, ...grouped].flatMap(({ value }) => textOf(value) ?? []);
  const older = listOf(fieldsOf(told.models).availableModels).flatMap(({ modelId }) => textOf(modelId) ?? []);
  return [...listed, ...older];
}
