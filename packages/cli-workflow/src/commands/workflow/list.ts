import { assembleWorkflow, checkWorkflowFile } from "@uncaged/workflow-engine";
import type { WorkflowListItem } from "@uncaged/workflow-protocol";
import { findLocalWorkflows, readRegistry, type Storage } from "@uncaged/workflow-store";
import { defineCommand } from "../../line/index.js";
import { left, paintOn, type Row, renderTable, type Screen, shrinking } from "../../screen/index.js";
import { document } from "../output.js";

/** Registered and project-local workflows by name; a local one has no hash until something stores it. */
export const command = defineCommand({
  path: "workflow list",
  summary: "print registered and project-local workflows",
  examples: ["uwf workflow list"],
  exits: ["OLDER_ROOT"],
  sample: {
    line: "workflow list",
    prints: `NAME          HASH           FROM
publish-note  CHCRTNFFD1YFX  registry
solve-issue   1MV05XPK04K7N  registry`,
  },
  run: async (context) => {
    const storage = context.openStorage();
    if (!storage.ok) return storage;
    const registry = await readRegistry(storage.value);
    if (!registry.ok) return registry;
    const registered = Object.entries(registry.value).map(
      ([name, hash]): WorkflowListItem => ({ name, hash, origin: "registry" }),
    );
    const local = await Promise.all(
      findLocalWorkflows(context.host.cwd).map(({ name, file }) => localItem(storage.value, name, file)),
    );
    const items = [...registered, ...local].sort(byName);
    return document(items, (screen) => workflowTable(screen, items));
  },
});

async function localItem(storage: Storage, name: string, file: string): Promise<WorkflowListItem> {
  const checked = await checkWorkflowFile(file);
  const hash = checked.ok ? assembleWorkflow(checked.value.authored).hash : null;
  return { name, hash: hash !== null && storage.cas.has(hash) ? hash : null, origin: "local" };
}

function byName(a: WorkflowListItem, b: WorkflowListItem): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : a.origin < b.origin ? -1 : 1;
}

function workflowTable(screen: Screen, items: readonly WorkflowListItem[]): string {
  if (items.length === 0)
    return "no workflows; `uwf workflow put <file.yaml>` registers one, `uwf init` writes one to begin with\n";
  const paint = paintOn(screen);
  const rows = items.map(
    ({ name, hash, origin }): Row => [
      { text: name, paint: paint.strong },
      hash ?? { text: "not stored", paint: paint.dim },
      origin,
    ],
  );
  return renderTable(screen, [shrinking("NAME"), left("HASH"), left("FROM")], rows);
}
