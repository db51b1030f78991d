import type { ProjectConfig, WorkflowConfig } from "@uncaged/workflow-store";

/** A role that a project gives to an alias which the user's own config.yaml does not have. */
export type UndefinedAlias = {
  readonly workflow: string;
  readonly role: string;
  readonly alias: string;
  readonly line: number;
  readonly column: number;
};

/** In the order of the file; where the user has said who plays the role, the project is not asked. */
export function undefinedAliases(
  project: ProjectConfig,
  config: WorkflowConfig | null,
): readonly UndefinedAlias[] {
  const { agents = {}, agentOverrides = {} } = config ?? {};
  return Object.entries(project.agentOverrides).flatMap(([workflow, roles]) => {
    const own = Object.hasOwn(agentOverrides, workflow) ? agentOverrides[workflow] : undefined;
    return Object.entries(roles)
      .filter(([role, alias]) => !Object.hasOwn(agents, alias) && !Object.hasOwn(own ?? {}, role))
      .map(([role, alias]) => ({ workflow, role, alias, ...project.at("agentOverrides", workflow, role) }));
  });
}
