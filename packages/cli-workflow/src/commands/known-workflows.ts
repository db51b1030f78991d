import { isHash, suggest } from "@uncaged/json-cas";
import type { GraphProblem } from "@uncaged/workflow-moderator";
import type { AuthoredWorkflow } from "@uncaged/workflow-protocol";
import { findLocalWorkflows, nameOfFile, readRegistry } from "@uncaged/workflow-store";
import type { CommandContext } from "../line/index.js";

/** Names that a role's `agent: {workflow: …}` can mean. */
export type KnownWorkflows = readonly string[];

/**
 * The registered and the local workflows, and those of the given files, which are looked at together. `null`:
 * it is unknown what is registered, since the storage root is damaged or not trusted.
 */
export async function knownWorkflows(
  { host, openStorage }: CommandContext,
  files: readonly string[],
): Promise<KnownWorkflows | null> {
  const storage = openStorage();
  const registry = storage.ok ? await readRegistry(storage.value) : storage;
  if (!registry.ok) return null;
  const local = findLocalWorkflows(host.cwd).map(({ name }) => name);
  return [...Object.keys(registry.value), ...local, ...files.flatMap((file) => nameOfFile(file) ?? [])];
}

/** Roles that no workflow plays yet: a warning, since the child may be registered later. */
export function unknownChildren(
  { name, roles }: AuthoredWorkflow,
  known: KnownWorkflows,
): readonly GraphProblem[] {
  const all = [...known, name];
  return Object.entries(roles).flatMap(([role, { agent }]): readonly GraphProblem[] => {
    const child = agent !== null && "workflow" in agent ? agent.workflow.name : "";
    if (child === "" || isHash(child) || all.includes(child)) return [];
    return [
      {
        severity: "warning",
        code: "unknown-workflow",
        path: `/roles/${role}/agent/workflow`,
        offset: "value",
        message: `no registered or local workflow is called ${child}: without one, the role ${role} fails`,
        suggestion: suggest(child, all),
        also: [],
      },
    ];
  });
}
