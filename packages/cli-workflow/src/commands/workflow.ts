import { resolve } from "node:path";
import { err, fault, problemLine, type WorkflowListItem } from "@uncaged/workflow-protocol";
import { findLocalWorkflows, readRegistry, type Storage, setRegistry, TYPE } from "@uncaged/workflow-store";
import {
  type AssembledWorkflow,
  assembleWorkflow,
  checkWorkflowFile,
  resolveWorkflow,
  storeWorkflow,
} from "../workflow.js";
import { document } from "./output.js";
import type { CommandContext, CommandResult } from "./types.js";

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

type PutRequest = { readonly file: string; readonly strict: boolean };

export async function workflowPut(context: CommandContext, request: PutRequest): CommandResult {
  if (request.file === "") return err(fault("FILE_NOT_FOUND", { path: '""', reason: "the path is empty" }));
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const checked = await checkWorkflowFile(resolve(context.host.cwd, request.file), request.strict);
  if (!checked.ok) return checked;
  const { authored, warnings } = checked.value;
  const lines = warnings.map((problem) => problemLine(problem, request.file));
  for (const line of lines) context.warn(line);
  const assembled = assembleWorkflow(authored);
  const hash = await storeWorkflow(storage.value, assembled);
  if (!hash.ok) return hash;
  const named = await setRegistry(storage.value, authored.name, hash.value);
  if (!named.ok) return named;
  // Until it had a name, gc could remove it; from then on it is kept. What was removed in the meantime is stored
  // again.
  const kept = isStored(storage.value, assembled) ? hash : await storeWorkflow(storage.value, assembled);
  if (!kept.ok) return kept;
  return document({
    name: authored.name,
    hash: hash.value,
    ...(lines.length > 0 ? { warnings: lines } : {}),
  });
}

function isStored({ cas }: Storage, { hash, payload }: AssembledWorkflow): boolean {
  return [hash, ...Object.values(payload.roles).map((role) => role.meta)].every(cas.has);
}

/** Of a file it shows what `put` would store; `timestamp` is `null` as long as it is not stored. */
export async function workflowShow(
  context: CommandContext,
  request: { readonly workflow: string },
): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const resolver = { storage: storage.value, cwd: context.host.cwd, warn: context.warn };
  const resolved = await resolveWorkflow(resolver, request.workflow);
  if (!resolved.ok) return resolved;
  const workflow =
    resolved.value.kind === "stored"
      ? resolved.value
      : { ...assembleWorkflow(resolved.value.checked.authored), timestamp: null };
  const { hash, payload, timestamp } = workflow;
  const known = timestamp ?? storage.value.cas.get(hash)?.timestamp ?? null;
  return document({ hash, name: payload.name, type: TYPE.workflow, payload, timestamp: known });
}
