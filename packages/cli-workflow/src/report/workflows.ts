import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import type { WorkflowSummary } from "@uncaged/workflow-report";
import { readRegistry, readRegistryHistory, readWorkflow, type Storage } from "@uncaged/workflow-store";

/** The registered workflows by name, with their versions. */
export async function workflowSummaries(
  storage: Storage,
): Promise<Result<readonly WorkflowSummary[], Fault>> {
  const registry = await readRegistry(storage);
  if (!registry.ok) return registry;
  const history = readRegistryHistory(storage);
  if (!history.ok) return history;
  const names = Object.keys(registry.value).sort();
  return ok(
    names.flatMap((name) => {
      const now = registry.value[name];
      if (now === undefined) return [];
      const lines = history.value.filter((line) => line.name === name).reverse();
      const known = lines.flatMap(({ hash, at }) =>
        hash === null ? [] : [{ hash, at, current: hash === now }],
      );
      // A name given by an earlier version of uwf has no recorded history.
      const versions = known.length === 0 ? [{ hash: now, at: null, current: true }] : known;
      const workflow = readWorkflow(storage.cas, now);
      return [{ name, versions, source: workflow.ok ? workflow.value.payload : null }];
    }),
  );
}
