import { resolve } from "node:path";
import { err, fault, problemLine } from "@uncaged/workflow-protocol";
import { type Storage, setRegistry } from "@uncaged/workflow-store";
import {
  type AssembledWorkflow,
  assembleWorkflow,
  checkWorkflowFile,
  storeWorkflow,
} from "../../workflow/index.js";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

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
  // Until it had a name a gc could take it; from then on it is kept. What one took meanwhile is stored again.
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
