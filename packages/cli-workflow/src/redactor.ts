import { keyNames, loadConfig, loadDotEnv, type Storage, secretsIn } from "@uncaged/workflow-store";
import { createRedactor, type Redactor } from "@uncaged/workflow-util";
import type { Host } from "./io.js";

/** Removes the keys that a step removes. A file that cannot be read provides none here: whoever needs it reports it. */
export async function redactorOf(host: Pick<Host, "env">, storage: Storage | null): Promise<Redactor> {
  if (storage === null) return createRedactor([]);
  const [dotEnv, loaded] = await Promise.all([loadDotEnv(storage), loadConfig(storage)]);
  const names = keyNames(loaded.ok ? loaded.value.config : null);
  return createRedactor(secretsIn(dotEnv.ok ? dotEnv.value.variables : {}, host.env, names));
}
