import { computeHash, type JsonObject, META_SCHEMA_HASH } from "@uncaged/json-cas";
import type { AuthoredWorkflow, CasRef, RoleDefinition, WorkflowPayload } from "@uncaged/workflow-protocol";
import { TYPE } from "@uncaged/workflow-store";
import type { ResolvedWorkflow } from "./types.js";

/** The stored form of an authored workflow: what would be written, without writing it. */
export type AssembledWorkflow = {
  readonly hash: CasRef;
  readonly payload: WorkflowPayload;
  /** Every role's `meta`, to be stored before the workflow that refers to it. */
  readonly schemas: readonly JsonObject[];
};

export function assembleWorkflow(authored: AuthoredWorkflow): AssembledWorkflow {
  const roles = Object.entries(authored.roles).map(([name, role]): [string, RoleDefinition] => [
    name,
    { ...role, meta: computeHash(META_SCHEMA_HASH, role.meta) },
  ]);
  const payload: WorkflowPayload = { ...authored, roles: Object.fromEntries(roles) };
  const schemas = Object.values(authored.roles).map((role) => role.meta);
  return { hash: computeHash(TYPE.workflow, payload), payload, schemas };
}

/** A workflow that a person named, stored or not. Of one that is, the schemas are in the store. */
export function assembledOf(resolved: ResolvedWorkflow): AssembledWorkflow {
  if (resolved.kind === "file") return assembleWorkflow(resolved.checked.authored);
  const { hash, payload } = resolved;
  return { hash, payload, schemas: [] };
}
