import { ENV } from "@uncaged/workflow-protocol";

/** What reaches an agent however narrow its `env` list is: it could not work or report without these. */
const ALWAYS: ReadonlySet<string> = new Set(["PATH", "HOME", ...Object.values(ENV)]);

type RunIdentity = { readonly root: string; readonly head: string; readonly token: string };

/** The agent's environment: ours or the listed part of it, the storage root as an absolute path, head and run. */
export function agentEnvironment(
  own: Readonly<Record<string, string | undefined>>,
  passed: readonly string[] | null,
  run: RunIdentity,
): Readonly<Record<string, string>> {
  const names = passed === null ? null : new Set([...ALWAYS, ...passed]);
  const inherited = Object.entries(own).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && (names === null || names.has(entry[0])),
  );
  return {
    ...Object.fromEntries(inherited),
    [ENV.storageRoot]: run.root,
    [ENV.head]: run.head,
    [ENV.run]: run.token,
  };
}
