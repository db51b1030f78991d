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
} from "@uncaged/workflow-protocol";
import { keyNames, loadConfig, loadDotEnv, secretsIn } from "@uncaged/workflow-store";
import { createRedactor, type Redactor } from "@uncaged/workflow-util";
import type { AgentCommand, RunPlan, StepDeps, StepRequest, StepState } from "./types.js";

/** The user's configuration, and the keys that must never be shown. */
export type Configured = {
  /** `null` when there is no config.yaml. */
  readonly config: WorkflowConfig | null;
  /** The variables that hold the providers' keys. */
  readonly keyNames: readonly string[];
  readonly redactor: Redactor;
};

/** Reads `.env` before config.yaml, so that no message about config.yaml shows a key. */
async function configure({ storage, host, warn }: StepDeps): Promise<Result<Configured, Fault>> {
  const dotEnv = await loadDotEnv(storage);
  if (!dotEnv.ok) return dotEnv;
  const { variables } = dotEnv.value;
  const loaded = await loadConfig(storage);
  if (!loaded.ok) return err(createRedactor(secretsIn(variables, host.env, [])).value(loaded.error));
  const { config, warnings, file } = loaded.value;
  const names = keyNames(config);
  const redactor = createRedactor(secretsIn(variables, host.env, names));
  for (const problem of warnings) warn(redactor.text(problemLine(problem, file)));
  return ok({ config, keyNames: names, redactor });
}

type RunInput = {
  readonly role: string;
  readonly workflow: WorkflowPayload;
  /** `null` when there is no config.yaml. */
  readonly config: WorkflowConfig | null;
  readonly request: StepRequest;
};

/** The next action; for a run also the configuration. */
export type Planned =
  | { readonly kind: "archive"; readonly reason: "end" | "failed" }
  | (RunPlan & { readonly configured: Configured });

/** Stage 5: archive the thread, or run an agent. Archiving does not need config.yaml. */
export async function plan(
  state: StepState,
  decision: Decision,
  request: StepRequest,
): Promise<Result<Planned, Fault>> {
  if (decision.kind === "end") return ok({ kind: "archive", reason: decision.reason });
  const configured = await configure(state);
  if (!configured.ok) return configured;
  const { config, redactor } = configured.value;
  const planned = planRun({ role: decision.role, workflow: state.chain.workflow.payload, config, request });
  return planned.ok
    ? ok({ ...planned.value, configured: configured.value })
    : err(redactor.value(planned.error));
}

/** Which agent runs: `--agent`, then the role's override, then the default. */
export function planRun({ role, workflow, config, request }: RunInput): Result<RunPlan, Fault> {
  const definition = Object.hasOwn(workflow.roles, role) ? workflow.roles[role] : undefined;
  if (definition === undefined) throw new Error(`the moderator chose the unknown role ${role}`);
  const agent = requested(request, config) ?? configured(workflow.name, role, config);
  if (agent === null) return err(fault("NO_AGENT", { workflow: workflow.name, role }));
  const retries = request.retries ?? agent.retries;
  return ok({ kind: "run", role, meta: definition.meta, agent: { ...agent, retries } });
}

function requested(request: StepRequest, config: WorkflowConfig | null): AgentCommand | null {
  if (request.agent === null) return null;
  const alias = aliasOf(config, request.agent.text);
  if (alias !== null) return alias;
  const [program, ...args] = request.agent.words;
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

function configured(workflow: string, role: string, config: WorkflowConfig | null): AgentCommand | null {
  if (config === null) return null;
  const override = own(own(config.agentOverrides, workflow) ?? {}, role);
  const name = override ?? config.defaultAgent;
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
