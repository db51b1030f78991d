import {
  keyNames,
  loadConfig,
  loadDotEnv,
  readProjectEnv,
  redactorOf,
  type Storage,
} from "@uncaged/workflow-store";
import { createRedactor, type Redactor } from "@uncaged/workflow-util";
import type { Host } from "./host.js";

/**
 * Removes the keys that a step removes which works in a folder (`null`: none is known). A file that cannot be read provides
 * none here: the code that needs the file reports it.
 */
export async function createRedactors(
  { env }: Pick<Host, "env">,
  storage: Storage | null,
): Promise<(folder: string | null) => Redactor> {
  if (storage === null) return () => createRedactor([]);
  const [dotEnv, loaded] = await Promise.all([loadDotEnv(storage), loadConfig(storage)]);
  const names = keyNames(loaded.ok ? loaded.value.config : null, env);
  const variables = dotEnv.ok ? dotEnv.value.variables : {};
  return (folder) => {
    const project = readProjectEnv(folder);
    return redactorOf({ variables, project: project.ok ? project.value : {}, env, names });
  };
}
