import { suggest } from "@uncaged/json-cas";
import type { Decision } from "@uncaged/workflow-moderator";
import {
  type AgentConfig,
  err,
  type Fault,
  fault,
  ok,
  problemLine,
  type Result,
  type WorkflowConfig,
  type WorkflowPayload,
  type WorkflowPlayer,
} from "@uncaged/workflow-protocol";
import {
  keyNames,
  loadConfig,
  loadDotEnv,
  loadProjectConfig,
  type ProjectConfig,
  readFolder,
  readProjectEnv,
  secretsIn,
} from "@uncaged/workflow-store";
import { createRedactor, type Redactor } from "@uncaged/workflow-util";
import { undefinedAliases } from "../project.js";
import { payersOf } from "./spending.js";
import type {
  AgentCommand,
  RunPlan,
  RunState,
  StepDeps,
  StepRequest,
  StepState,
  TypedAgent,
} from "./types.js";

/** The user's configuration, and the keys that must never be shown. */
export type Configured = {
  /** `null` when there is no config.yaml. */
  readonly config: WorkflowConfig | null;
  /** The variables that hold the providers' keys. */
  readonly keyNames: readonly string[];
  readonly redactor: Redactor;
};

/**
 * Reads `.env` before config.yaml, so that no message about config.yaml shows a key. `folder`: where the thread's agents
 * work; `null`: it is not known yet.
 */
export async function configure(
  { storage, host, warn }: Pick<StepDeps, "storage" | "host" | "warn">,
  folder: string | null,
): Promise<Result<Configured, Fault>> {
  const dotEnv = await loadDotEnv(storage);
  if (!dotEnv.ok) return dotEnv;
  const { variables } = dotEnv.value;
  const project = readProjectEnv(folder ?? host.cwd);
  const redactorFor = (names: readonly string[]): Redactor =>
    createRedactor(secretsIn({ variables, project, env: host.env, names }));
  const loaded = await loadConfig(storage);
  if (!loaded.ok) return err(redactorFor(keyNames(null, host.env)).value(loaded.error));
  const { config, warnings, file } = loaded.value;
  const names = keyNames(config, host.env);
  const redactor = redactorFor(names);
  for (const problem of warnings) warn(redactor.text(problemLine(problem, file)));
  return ok({ config, keyNames: names, redactor });
}

/** The folder where the thread's agents will work; `null`: it has none yet. */
function folderOf({ storage, thread }: StepState, { cwd }: StepRequest): Result<string | null, Fault> {
  return cwd === null ? readFolder(storage, thread) : ok(cwd);
}

type RunInput = {
  readonly role: string;
  readonly workflow: WorkflowPayload;
  /** `null` when there is no config.yaml. */
  readonly config: WorkflowConfig | null;
  /** `null` when the project says nothing. */
  readonly project: ProjectConfig | null;
  readonly request: StepRequest;
};

/** The next action; for a run also the configuration, and who has a limit and pays for it. */
export type Planned =
  | { readonly kind: "archive"; readonly reason: "end" | "failed" }
  /** It was asked to stop here. */
  | { readonly kind: "stop" }
  | (RunPlan & { readonly configured: Configured } & Pick<RunState, "payers" | "keptFolder">);

/** Stage 5: archive the thread, stop, or run an agent. Only the last needs config.yaml. */
export async function plan(
  state: StepState,
  decision: Decision,
  request: StepRequest,
): Promise<Result<Planned, Fault>> {
  const workflow = state.chain.workflow.payload;
  const unknown = request.until === null ? null : strangerTo(workflow, request.until, "--until");
  if (unknown !== null) return err(unknown);
  if (decision.kind === "end") return ok({ kind: "archive", reason: decision.reason });
  if (decision.role === request.until) return ok({ kind: "stop" });
  const folder = folderOf(state, request);
  if (!folder.ok) return folder;
  const configured = await configure(state, folder.value);
  if (!configured.ok) return configured;
  const { config, redactor } = configured.value;
  const project = await loadProjectConfig(folder.value ?? state.host.cwd);
  if (!project.ok) return err(redactor.value(project.error));
  const input = { role: decision.role, workflow, config, project: project.value, request };
  const planned = planRun(input);
  if (!planned.ok) return err(redactor.value(planned.error));
  warnOfNoEffect(state, input);
  const payers = await payersOf(state.storage, state.thread, input);
  if (!payers.ok) return payers;
  return ok({
    ...planned.value,
    configured: configured.value,
    payers: payers.value,
    keptFolder: folder.value,
  });
}

/**
 * The run that a step would plan for the role now, for a caller that only looks. `cwd`: where the thread's agents work.
 */
export async function planNext(
  deps: Pick<StepDeps, "storage" | "host" | "warn">,
  { role, workflow, cwd }: Pick<RunInput, "role" | "workflow"> & { readonly cwd: string },
  request: StepRequest,
): Promise<Result<RunPlan, Fault>> {
  const configured = await configure(deps, cwd);
  if (!configured.ok) return configured;
  const project = await loadProjectConfig(cwd);
  if (!project.ok) return project;
  return planRun({ role, workflow, config: configured.value.config, project: project.value, request });
}

/**
 * Who plays the role. With `agent` in the workflow: `--agent <role>=…`, then its override, then what the workflow says;
 * it never falls back to what names no role in particular. Without: `--agent`, then its override, then the project's,
 * then the default.
 */
export function planRun({ role, workflow, config, project, request }: RunInput): Result<RunPlan, Fault> {
  const definition = Object.hasOwn(workflow.roles, role) ? workflow.roles[role] : undefined;
  if (definition === undefined) throw new Error(`the moderator chose the unknown role ${role}`);
  const stranger = strangerAmong(request.agents, workflow);
  if (stranger !== null) return err(stranger);
  const typed = (name: string | null): AgentCommand | null => {
    const given = request.agents.find((each) => each.role === name);
    return given === undefined ? null : (aliasOf(config, given.text) ?? typedCommand(given));
  };
  const named = typed(role);
  const override = overrideOf(workflow.name, role, config);
  const plan = { kind: "run", role, meta: definition.meta } as const;
  const withAgent = (agent: AgentCommand): RunPlan => {
    const retries = request.retries ?? agent.retries;
    return { ...plan, agent: { ...agent, retries }, human: null };
  };
  const player = definition.agent;
  if (player === null) {
    const said = named ?? typed(null) ?? override;
    const ofProject = said === null ? projectAgent({ project, workflow, role, config }) : ok(null);
    if (!ofProject.ok) return ofProject;
    const chosen = said ?? ofProject.value ?? defaultOf(config);
    // Whether a person is asked is judged later; no agent is needed for it.
    const agent = chosen ?? (request.answer === null ? null : PERSON);
    return agent === null ? err(fault("NO_AGENT", { workflow: workflow.name, role })) : ok(withAgent(agent));
  }
  const agent = named ?? override;
  if (agent !== null) return ok(withAgent(agent));
  if ("human" in player) return ok({ ...plan, agent: PERSON, human: player.human });
  const words = childrenCommand(player.workflow);
  return ok(withAgent(typedCommand({ words })));
}

/** A person is never started: this is what the log calls them. */
const PERSON: AgentCommand = typedCommand({ words: ["human"] });

/** The agent that plays a role by child threads. */
function childrenCommand(player: WorkflowPlayer): TypedAgent["words"] {
  const { name, each, jobs, partial, output, prompt } = player;
  return [
    "uwf-workflow",
    name,
    ...(each === null ? [] : ["--each", each]),
    ...(jobs === 1 ? [] : ["--jobs", String(jobs)]),
    ...(partial ? ["--partial"] : []),
    ...(output === null ? [] : ["--output", output]),
    ...(prompt === "role" ? [] : ["--prompt", prompt]),
  ];
}

/** A role that the workflow does not have, before anything is started for it. */
function strangerAmong(agents: StepRequest["agents"], workflow: WorkflowPayload): Fault | null {
  const faults = agents.flatMap(({ role }) =>
    role === null ? [] : (strangerTo(workflow, role, `--agent ${role}=…`) ?? []),
  );
  return faults[0] ?? null;
}

/** The fault of a command that names a role which the workflow does not have. */
export function strangerIn(
  workflow: WorkflowPayload,
  { until, agents }: Pick<StepRequest, "until" | "agents">,
): Fault | null {
  const unknown = until === null ? null : strangerTo(workflow, until, "--until");
  return unknown ?? strangerAmong(agents, workflow);
}

/** `what`: where on the command line the role stands. */
function strangerTo(workflow: WorkflowPayload, role: string, what: string): Fault | null {
  const names = Object.keys(workflow.roles);
  if (names.includes(role)) return null;
  const meant = suggest(role, names);
  const near = meant === null ? "" : `, did you mean "${meant}"?`;
  const reason = `workflow ${workflow.name} has no role ${role}${near}`;
  return fault("INVALID_INPUT", { what, reason, hint: `its roles are ${names.join(", ")}` });
}

function typedCommand({ words: [program, ...args] }: Pick<TypedAgent, "words">): AgentCommand {
  return {
    program,
    isTyped: true,
    args,
    env: null,
    timeoutMs: null,
    idleMs: null,
    retries: 0,
    resume: true,
    sandbox: null,
  };
}

function overrideOf(workflow: string, role: string, config: WorkflowConfig | null): AgentCommand | null {
  const name = config === null ? null : own(own(config.agentOverrides, workflow) ?? {}, role);
  return name === null ? null : aliasOf(config, name);
}

/** The project chooses among the user's aliases: a name that is not one of them is never run as a command. */
function projectAgent({
  project,
  workflow: { name: workflow },
  role,
  config,
}: Omit<RunInput, "request">): Result<AgentCommand | null, Fault> {
  const roles = own(project?.agentOverrides ?? {}, workflow) ?? {};
  const name = own(roles, role);
  if (project === null || name === null) return ok(null);
  const agent = aliasOf(config, name);
  if (agent !== null) return ok(agent);
  // All of this workflow's at once: the next role would only say the same.
  const missing = undefinedAliases(project, config).filter((each) => each.workflow === workflow);
  const hasAgents = Object.keys(config?.agents ?? {}).length > 0;
  return err(fault("ALIAS_UNDEFINED", { file: project.file, missing, hasAgents }));
}

/** A stranger's project must not have an agent play the role of a person who approves. */
function warnOfNoEffect({ warn }: StepDeps, { role, workflow, project }: RunInput): void {
  const player = own(workflow.roles, role)?.agent ?? null;
  if (project === null || player === null) return;
  if (own(own(project.agentOverrides, workflow.name) ?? {}, role) === null) return;
  const { line, column } = project.at(workflow.name, role);
  warn(
    `${project.file}:${line}:${column}: it has no effect: the workflow ${workflow.name} says itself who plays ${role}`,
  );
}

function defaultOf(config: WorkflowConfig | null): AgentCommand | null {
  const name = config?.defaultAgent ?? null;
  return name === null ? null : aliasOf(config, name);
}

function aliasOf(config: WorkflowConfig | null, name: string): AgentCommand | null {
  const agent = config === null ? null : own(config.agents, name);
  return agent === null ? null : commandOf(agent);
}

function commandOf(agent: AgentConfig): AgentCommand {
  return {
    program: agent.command,
    isTyped: false,
    args: agent.args,
    env: agent.env,
    timeoutMs: agent.timeoutSeconds === null ? null : agent.timeoutSeconds * 1000,
    idleMs: agent.idleSeconds === null ? null : agent.idleSeconds * 1000,
    retries: agent.retries ?? 0,
    resume: agent.resume ?? true,
    sandbox: agent.sandbox,
  };
}

function own<T>(map: Readonly<Record<string, T>>, key: string): T | null {
  return Object.hasOwn(map, key) ? (map[key] ?? null) : null;
}
