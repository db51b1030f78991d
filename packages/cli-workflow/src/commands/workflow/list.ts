import type { WorkflowListItem } from "@uncaged/workflow-protocol";
import { findLocalWorkflows, readRegistry, type Storage } from "@uncaged/workflow-store";
import { assembleWorkflow, checkWorkflowFile } from "../../workflow/index.js";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

/** Registered and project-local workflows by name; a local one has no hash until something stores it. */
export async function workflowList(context: CommandContext): CommandResult {
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
  return document([...registered, ...local].sort(byName));
}

async function localItem(storage: Storage, name: string, file: string): Promise<WorkflowListItem> {
  const checked = await checkWorkflowFile(file, false);
  const hash = checked.ok ? assembleWorkflow(checked.value.authored).hash : null;
  return { name, hash: hash !== null && storage.cas.has(hash) ? hash : null, origin: "local" };
}

function byName(a: WorkflowListItem, b: WorkflowListItem): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : a.origin < b.origin ? -1 : 1;
}
