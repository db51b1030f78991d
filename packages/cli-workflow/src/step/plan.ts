import type { Decision } from "@uncaged/workflow-moderator";
import {
  type AgentConfig,
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type WorkflowConfig,
  type WorkflowPayload,
} from "@uncaged/workflow-protocol";
import type { AgentCommand, Plan, StepRequest } from "./types.js";

type PlanInput = {
  readonly decision: Decision;
  readonly workflow: WorkflowPayload;
  /** `null` when there is no config.yaml. */
  readonly config: WorkflowConfig | null;
  readonly request: StepRequest;
};

/** Stage 5: archive, or which agent runs: `--agent`, then the role's override, then the default. */
export function plan({ decision, workflow, config, request }: PlanInput): Result<Plan, Fault> {
  if (decision.kind === "end") return ok({ kind: "archive", reason: decision.reason });
  const { role } = decision;
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
