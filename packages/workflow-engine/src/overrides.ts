import { suggest } from "@uncaged/json-cas";
import { err, type Fault, fault, ok, type Problem, type Result } from "@uncaged/workflow-protocol";
import {
  findLocalWorkflow,
  findLocalWorkflows,
  inspectWorkflowFile,
  type LoadedConfig,
  type ProjectConfig,
  readNode,
  readRegistry,
  type Storage,
  TYPE,
  type WorkflowConfig,
} from "@uncaged/workflow-store";

// config.yaml names workflows and roles. A misspelt name has no effect of its own: the default agent would play the role,
// and no limit would hold. So it is an error where the workflow is used, and doctor and validate find it.

/** What a config.yaml, the user's or a project's, says by the names of workflows and roles. */
export type NamingConfig = Pick<WorkflowConfig, "agentOverrides" | "limits"> &
  Pick<LoadedConfig, "file" | "at">;

/** A workflow that is about to be used, or validated. */
type UsedWorkflow = { readonly name: string; readonly roles: readonly string[] };

/** Where workflows are looked up: the registry, and `.workflows/` around a folder. */
type WorkflowLookup = { readonly storage: Storage; readonly cwd: string };

/** Fault INVALID_CONFIG where a config.yaml misspells this workflow or one of its roles. */
export async function checkNames(
  configs: readonly (NamingConfig | null)[],
  used: UsedWorkflow,
  place: WorkflowLookup,
): Promise<Result<void, Fault>> {
  for (const config of configs) {
    const problems = config === null ? [] : await misspeltNames(config, used, place);
    if (config !== null && problems.length > 0)
      return err(fault("INVALID_CONFIG", { file: config.file, problems }));
  }
  return ok(undefined);
}

/** The misspelt names that concern one workflow: a role that it lacks, and a name that is nearly its own. */
export async function misspeltNames(
  config: NamingConfig,
  used: UsedWorkflow,
  place: WorkflowLookup,
): Promise<readonly Problem[]> {
  const roles = Object.keys(own(config.agentOverrides, used.name) ?? {});
  // Without a suspect, which is the usual case, nothing is read: every step asks.
  const suspects = [
    ...roles.filter((role) => !used.roles.includes(role)),
    ...namesIn(config).filter(({ section, name }) => nearest(config, section, name, [used.name]) !== null),
  ];
  if (suspects.length === 0) return [];
  const known = await knownIn(place, used);
  const near = namesIn(config).flatMap(({ section, name }) =>
    known.has(name) || nearest(config, section, name, [used.name]) === null
      ? []
      : [unknownWorkflow(config, section, name, [used.name])],
  );
  return [...(await unknownRoles(config, used.name, known)), ...near];
}

/** The misspelt names of all workflows, for doctor. A workflow that is only not here is a warning. */
export async function allMisspeltNames(
  config: NamingConfig,
  place: WorkflowLookup,
): Promise<readonly Problem[]> {
  const known = await knownIn(place, null);
  const problems: Problem[] = [];
  for (const workflow of Object.keys(config.agentOverrides))
    problems.push(...(await unknownRoles(config, workflow, known)));
  for (const { section, name } of namesIn(config))
    if (!known.has(name)) problems.push(unknownWorkflow(config, section, name, known.names));
  return problems;
}

type Section = "agentOverrides" | "limits";

/** The workflows that a config.yaml names, and in which section. */
function namesIn(config: NamingConfig): readonly { readonly section: Section; readonly name: string }[] {
  const limited = Object.keys(config.limits).filter((name) => name !== "default");
  return [
    ...Object.keys(config.agentOverrides).map((name) => ({ section: "agentOverrides" as const, name })),
    ...limited.map((name) => ({ section: "limits" as const, name })),
  ];
}

/** The workflow that was meant. One that has an entry of its own was not: `review` beside `reviews` is another workflow. */
function nearest(
  config: NamingConfig,
  section: Section,
  name: string,
  names: readonly string[],
): string | null {
  if (names.includes(name)) return null;
  return suggest(
    name,
    names.filter((other) => own<unknown>(config[section], other) === null),
  );
}

type Known = {
  /** Registered, local, or used. */
  readonly names: readonly string[];
  /** Also whether a thread has ever used it: its project may be in another folder. */
  readonly has: (name: string) => boolean;
  /** Of every version that is known: a role of the newest one is no mistake in a thread of an older one. */
  readonly rolesOf: (name: string) => Promise<readonly string[] | null>;
};

async function knownIn({ storage, cwd }: WorkflowLookup, used: UsedWorkflow | null): Promise<Known> {
  const read = await readRegistry(storage);
  const registry = read.ok ? read.value : {};
  const local = findLocalWorkflows(cwd).map(({ name }) => name);
  const names = [...new Set([...Object.keys(registry), ...local, ...(used === null ? [] : [used.name])])];
  const registeredRoles = (name: string): readonly string[] => {
    const hash = own(registry, name);
    const stored = hash === null ? null : readNode(storage.cas, "workflow", hash);
    return stored?.ok ? Object.keys(stored.value.payload.roles) : [];
  };
  const localRoles = async (name: string): Promise<readonly string[] | null> => {
    const found = findLocalWorkflow(cwd, name);
    if (!found.ok || found.value === null) return [];
    const inspected = await inspectWorkflowFile(found.value.file, () => []);
    // Commands that use the workflow report what is wrong with it.
    return inspected.ok && inspected.value.authored !== null
      ? Object.keys(inspected.value.authored.roles)
      : null;
  };
  return {
    names,
    has: (name) => names.includes(name) || wasUsed(storage, name),
    rolesOf: async (name) => {
      if (!names.includes(name)) return null;
      const here = await localRoles(name);
      const usedRoles = used?.name === name ? used.roles : [];
      return here === null ? null : [...new Set([...usedRoles, ...here, ...registeredRoles(name)])];
    },
  };
}

function wasUsed({ cas }: Storage, name: string): boolean {
  return [TYPE.workflow, TYPE.playedWorkflow].some((type) =>
    cas.listByType(type).some((hash) => {
      const read = readNode(cas, "workflow", hash);
      return read.ok && read.value.payload.name === name;
    }),
  );
}

async function unknownRoles(
  config: NamingConfig,
  workflow: string,
  known: Known,
): Promise<readonly Problem[]> {
  const named = Object.keys(own(config.agentOverrides, workflow) ?? {});
  const roles = named.length === 0 ? null : await known.rolesOf(workflow);
  if (roles === null) return [];
  return named
    .filter((role) => !roles.includes(role))
    .map((role) => {
      const suggestion = suggest(role, roles);
      const others = suggestion === null ? `; its roles are ${roles.join(", ")}` : "";
      return {
        code: "unknown-role",
        severity: "error",
        ...config.at("agentOverrides", workflow, role),
        path: `/agentOverrides/${workflow}/${role}`,
        message: `agentOverrides: workflow ${workflow} has no role ${role}${others}`,
        suggestion,
        also: [],
      };
    });
}

function unknownWorkflow(
  config: NamingConfig,
  section: Section,
  name: string,
  names: readonly string[],
): Problem {
  const isMisspelt = nearest(config, section, name, names) !== null;
  const elsewhere = isMisspelt ? "" : "; it may be local to a project";
  return {
    code: "unknown-workflow",
    severity: isMisspelt ? "error" : "warning",
    ...config.at(section, name),
    path: `/${section}/${name}`,
    message: `${section}: no workflow ${name} is registered or local here${elsewhere}`,
    suggestion: suggest(name, names),
    also: [],
  };
}

/** The member of that name, if it is not an inherited one. */
export function own<T>(map: Readonly<Record<string, T>>, key: string): T | null {
  return Object.hasOwn(map, key) ? (map[key] ?? null) : null;
}

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
