import { assembleWorkflow, checkWorkflowFile } from "@uncaged/workflow-engine";
import type { WorkflowListItem } from "@uncaged/workflow-protocol";
import { findLocalWorkflows, readRegistry, type Storage } from "@uncaged/workflow-store";
import { defineRootCommand } from "../../line/index.js";
import { type ColumnOf, left, paintOn, type Screen, shrinking, tableOf } from "../../screen/index.js";
import { document } from "../output.js";

/** Registered and project-local workflows by name; a local one has no hash until something stores it. */
export const command = defineRootCommand({
  path: "workflow list",
  summary: "print registered and project-local workflows",
  examples: ["uwf workflow list"],
  sample: {
    line: "workflow list",
    prints: `NAME          HASH           FROM
publish-note  CHCRTNFFD1YFX  registry
solve-issue   1MV05XPK04K7N  registry`,
  },
  run: async (context, _request, storage) => {
    const registry = await readRegistry(storage);
    if (!registry.ok) return registry;
    const registered = Object.entries(registry.value).map(
      ([name, hash]): WorkflowListItem => ({ name, hash, origin: "registry" }),
    );
    const local = await Promise.all(
      findLocalWorkflows(context.host.cwd).map(({ name, file }) => localItem(storage, name, file)),
    );
    const items = [...registered, ...local].sort((a, b) =>
      a.name < b.name ? -1 : a.name > b.name ? 1 : a.origin < b.origin ? -1 : 1,
    );
    return document(items, (screen) => workflowTable(screen, items));
  },
});

async function localItem(storage: Storage, name: string, file: string): Promise<WorkflowListItem> {
  const checked = await checkWorkflowFile(file);
  const hash = checked.ok ? assembleWorkflow(checked.value.authored).hash : null;
  return { name, hash: hash !== null && storage.cas.has(hash) ? hash : null, origin: "local" };
}

function workflowTable(screen: Screen, items: readonly WorkflowListItem[]): string {
  if (items.length === 0)
    return "no workflows; `uwf workflow put <file.yaml>` registers one, `uwf init` writes one to begin with\n";
  const { strong, dim } = paintOn(screen);
  const columns: readonly ColumnOf<WorkflowListItem>[] = [
    [shrinking("NAME"), ({ name }) => ({ text: name, paint: strong })],
    [left("HASH"), ({ hash }) => hash ?? { text: "not stored", paint: dim }],
    [left("FROM"), ({ origin }) => origin],
  ];
  return tableOf(screen, columns, items);
}
