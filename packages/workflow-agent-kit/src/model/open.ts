import { err, type Fault, fault, ok, type Result, type WorkflowConfig } from "@uncaged/workflow-protocol";
import { keyNames, loadConfig, loadDotEnv, resolveStorageRoot, secretsIn } from "@uncaged/workflow-store";
import { createRedactor, definedOnly } from "@uncaged/workflow-util";
import type { Env } from "../host/index.js";
import { loadLlm } from "../lazy/index.js";
import { completeWith } from "./complete.js";
import type { ModelChoice, ModelPlace, OpenModel } from "./types.js";

/**
 * A chat model of config.yaml, with its key from `.env` of the storage root or the environment, which wins. Asks
 * nobody. Faults: INVALID_INPUT (no such model), NO_API_KEY, those of the storage root, of config.yaml and of `.env`.
 */
export async function openModel(place: ModelPlace, choice: ModelChoice): Promise<Result<OpenModel, Fault>> {
  const root = resolveStorageRoot(place);
  if (!root.ok) return root;
  const storage = { root: root.value };
  const dotEnv = await loadDotEnv(storage);
  if (!dotEnv.ok) return dotEnv;
  const loaded = await loadConfig(storage);
  if (!loaded.ok) return loaded;
  const llm = await loadLlm();
  const found = llm.chosenAlias(loaded.value.config, choice.alias, choice.overrides);
  if (!found.ok) return unusable(found.error);
  const { config, alias } = found.value;
  const { variables } = dotEnv.value;
  const model = llm.modelNamed(config, alias, { ...variables, ...definedOnly(place.env) });
  if (!model.ok) {
    const { keyName } = namesOf(config, alias);
    return keyName === null ? unusable(model.error) : err(fault("NO_API_KEY", { variable: keyName }));
  }
  const names = keyNames(config);
  const redactor = createRedactor(secretsIn(variables, place.env, names));
  return ok({
    ...namesOf(config, alias),
    complete: completeWith(llm, { ...model.value, conceal: redactor.text }, redactor),
    conceal: redactor.text,
    withoutKeys: (env) => keyless(env, new Set([...names, ...Object.keys(variables)]), redactor.text),
  });
}

function unusable(reason: string): Result<never, Fault> {
  return err(fault("INVALID_INPUT", { what: "the model", reason }));
}

function namesOf(
  { models, providers }: WorkflowConfig,
  alias: string,
): Pick<OpenModel, "alias" | "name" | "provider" | "baseUrl" | "keyName"> {
  const { name = "", provider = "" } = models[alias] ?? {};
  const { baseUrl = "", apiKeyEnv = null } = providers[provider] ?? {};
  return { alias, name, provider, baseUrl, keyName: apiKeyEnv };
}

/** A key may stand in a variable of another name too, or within its value. */
function keyless(
  env: Env,
  names: ReadonlySet<string>,
  conceal: (text: string) => string,
): Readonly<Record<string, string>> {
  const kept = Object.entries(definedOnly(env)).filter(
    ([name, value]) => !names.has(name) && conceal(value) === value,
  );
  return Object.fromEntries(kept);
}
