import type { Decision } from "@uncaged/workflow-moderator";
import {
  err,
  type Fault,
  ok,
  problemLine,
  type Result,
  shellWord,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import {
  keyNames,
  type LoadedConfig,
  loadConfig,
  loadDotEnv,
  loadProjectConfig,
  type ProjectConfig,
  readProjectEnv,
  readWorkFolder,
  redactorOf,
  type Storage,
  type WorkflowConfig,
} from "@uncaged/workflow-store";
import { createRedactor, type Redactor } from "@uncaged/workflow-util";
import type { Host } from "../host.js";
import { checkNames } from "../overrides.js";
import { type Cast, displacedAlias, overrideIn, planRun, strangerTo } from "./cast.js";
import { readPayers } from "./spending.js";
import type { RunPlan, RunState, StepDeps, StepRequest, StepState } from "./types.js";

/** The user's configuration, and the keys that must never be shown. */
export type Configured = {
  /** `null` when there is no config.yaml. */
  readonly config: WorkflowConfig | null;
  /** The file of the configuration, and where things are in it. */
  readonly source: Pick<LoadedConfig, "file" | "at">;
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
  if (!project.ok) return project;
  const redactorFor = (names: readonly string[]): Redactor =>
    redactorOf({ variables, project: project.value, env: host.env, names });
  const loaded = await loadConfig(storage);
  if (!loaded.ok) return err(redactorFor(keyNames(null, host.env)).fault(loaded.error));
  const { config, warnings, file, at } = loaded.value;
  const names = keyNames(config, host.env);
  const redactor = redactorFor(names);
  for (const problem of warnings) warn(redactor.text(problemLine(problem, file)));
  return ok({ config, source: { file, at }, keyNames: names, redactor });
}

/** What both configurations say about the workflow's roles. */
export type Settings = { readonly configured: Configured; readonly project: ProjectConfig | null };

/** Reads them for agents that work in `cwd`; a name of the workflow or of a role that one of them misspells is a fault. */
export async function readSettings(
  deps: Pick<StepDeps, "storage" | "host" | "warn">,
  workflow: WorkflowPayload,
  cwd: string,
): Promise<Result<Settings, Fault>> {
  const configured = await configure(deps, cwd);
  if (!configured.ok) return configured;
  const { config, source, redactor } = configured.value;
  const project = await loadProjectConfig(cwd);
  if (!project.ok) return err(redactor.fault(project.error));
  const used = { name: workflow.name, roles: Object.keys(workflow.roles) };
  const mine = config === null ? null : { ...config, ...source };
  const named = await checkNames([mine, project.value], used, { storage: deps.storage, cwd });
  if (!named.ok) return err(redactor.fault(named.error));
  return ok({ configured: configured.value, project: project.value });
}

/** The folder where the thread's agents will work; `null`: it has none yet. */
function folderOf({ storage, thread }: StepState, { cwd }: StepRequest): Result<string | null, Fault> {
  return cwd === null ? readWorkFolder(storage, thread) : ok(cwd);
}

/** The next action; for a run also the configuration, and the threads whose limits it counts against. */
type Planned =
  | { readonly kind: "archive"; readonly reason: "end" | "failed" }
  /** It was asked to stop here. */
  | { readonly kind: "stop" }
  | (RunPlan & { readonly configured: Configured } & Pick<RunState, "payers" | "recordedFolder">);

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
  const settings = await readSettings(state, workflow, folder.value ?? state.host.cwd);
  if (!settings.ok) return settings;
  const { configured, project } = settings.value;
  const { config, redactor } = configured;
  const cast = { role: decision.role, workflow, config, project, request };
  const planned = planRun(cast);
  if (!planned.ok) return err(redactor.fault(planned.error));
  warnOfNoEffect(state, cast);
  warnOfDisplaced(state, cast, configured);
  const payers = await readPayers(state.storage, state.thread, cast);
  if (!payers.ok) return payers;
  return ok({ ...planned.value, configured, payers: payers.value, recordedFolder: folder.value });
}

/**
 * The run that a step would plan for the role now, for a caller that only looks. `cwd`: where the thread's agents work.
 */
export async function planNext(
  deps: Pick<StepDeps, "storage" | "host" | "warn">,
  { role, workflow, cwd }: Pick<Cast, "role" | "workflow"> & { readonly cwd: string },
  request: StepRequest,
): Promise<Result<RunPlan, Fault>> {
  const settings = await readSettings(deps, workflow, cwd);
  if (!settings.ok) return settings;
  const { configured, project } = settings.value;
  return planRun({ role, workflow, config: configured.config, project, request });
}

/** An untrusted project must not give an agent the role of a person who approves. */
function warnOfNoEffect({ warn }: Pick<StepDeps, "warn">, { role, workflow, project }: Cast): void {
  const player = workflow.roles[role]?.agent ?? null;
  if (project === null || player === null || overrideIn(project, { workflow, role }) === null) return;
  const { line, column } = project.at("agentOverrides", workflow.name, role);
  warn(
    `${project.file}:${line}:${column}: it has no effect: the workflow ${workflow.name} says itself who plays ${role}`,
  );
}

/** The configuration names an agent for this role, perhaps the real tests; `--agent` for every role displaces it. */
function warnOfDisplaced({ warn }: Pick<StepDeps, "warn">, cast: Cast, { source }: Configured): void {
  const displaced = displacedAlias(cast);
  if (displaced === null) return;
  const { role, workflow, project } = cast;
  const { file, at } = displaced.from === "project" && project !== null ? project : source;
  const { line, column } = at("agentOverrides", workflow.name, role);
  const { alias } = displaced;
  warn(
    `--agent plays ${role} in the place of ${alias}, which ${file}:${line}:${column} names; to keep it, add --agent ${shellWord(`${role}=${alias}`)}`,
  );
}

/**
 * Removes the keys that a step removes which works in a folder (`null`: none is known). A file that cannot be read provides
 * none here: the code that needs the file reports it.
 */
export async function createRedactors(
  { env }: Pick<Host, "env">,
  storage: Storage | null,
): Promise<(folder: string | null) => Redactor> {
  if (storage === null) return () => createRedactor([]);
  const [dotEnv, loaded] = await Promise.all([loadDotEnv(storage), loadConfig(storage)]);
  const names = keyNames(loaded.ok ? loaded.value.config : null, env);
  const variables = dotEnv.ok ? dotEnv.value.variables : {};
  return (folder) => {
    const project = readProjectEnv(folder);
    return redactorOf({ variables, project: project.ok ? project.value : {}, env, names });
  };
}
