import { type Fault, ok, type Result, type WorkflowConfig } from "@uncaged/workflow-protocol";
import type { Secret } from "@uncaged/workflow-util";
import { loadDotEnv } from "./dotenv.js";
import type { AtRoot } from "./types.js";

type Env = Readonly<Record<string, string | undefined>>;

/** A shorter value is found by chance in texts that have nothing to do with it. */
const SHORTEST_KEY = 8;

/** Names under which everything is a key, whatever it looks like. */
const KEY_NAME = /KEY|TOKEN|SECRET|PASS|PWD|CRED|AUTH/i;

/** What texts may name: an address without user, password or query; an absolute path; a word such as `production`. */
const SETTING = /^(?:https?:\/\/[^\s@?#]+|(?:~|\.{1,2})?\/\S*|[A-Za-z]{1,15})$/;

/** The names of the variables that hold the providers' keys. */
export function keyNames(config: WorkflowConfig | null): readonly string[] {
  const names = new Set<string>();
  for (const { apiKeyEnv } of Object.values(config?.providers ?? {}))
    if (apiKeyEnv !== null) names.add(apiKeyEnv);
  return [...names];
}

/**
 * What must not be shown: the values of the storage root's `.env`, and of the variables that `names` names, wherever
 * they are set. Values of fewer than 8 characters are none, nor are addresses, paths and single words in `.env` whose
 * names do not say that they are keys.
 */
export function secretsIn(variables: Env, env: Env, names: readonly string[]): readonly Secret[] {
  const secrets: Secret[] = [];
  const add = (name: string, value = ""): void => {
    if (value.trim().length >= SHORTEST_KEY) secrets.push({ name, value });
  };
  for (const name of names) {
    add(name, env[name]);
    add(name, variables[name]);
  }
  for (const [name, value = ""] of Object.entries(variables)) {
    if (!SETTING.test(value) || KEY_NAME.test(name)) add(name, value);
  }
  return secrets;
}

/** `secretsIn` for a process that needs `.env` for nothing else. Faults as of `loadDotEnv`. */
export async function loadSecrets(
  storage: AtRoot,
  env: Env,
  names: readonly string[],
): Promise<Result<readonly Secret[], Fault>> {
  const dotEnv = await loadDotEnv(storage);
  return dotEnv.ok ? ok(secretsIn(dotEnv.value.variables, env, names)) : dotEnv;
}
