import { TYPE } from "@uncaged/workflow-store";
import { assembleWorkflow, resolveWorkflow } from "../../workflow/index.js";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";

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
