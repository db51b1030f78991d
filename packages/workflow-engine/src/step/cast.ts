import { suggest } from "@uncaged/json-cas";
import {
  err,
  type Fault,
  fault,
  type HumanPlayer,
  ok,
  type Result,
  type WorkflowPayload,
  type WorkflowPlayer,
} from "@uncaged/workflow-protocol";
import type { ProjectConfig, WorkflowConfig } from "@uncaged/workflow-store";
import { own, undefinedAliases } from "../overrides.js";
import type { AgentCommand, RunPlan, StepRequest, TypedAgent } from "./types.js";

// Who plays a role. This list is the only place that says so: the help, README.md and docs/agents.md are made of it, and
// a step asks its sources in this order.

/** The first that says something of the role has it. */
export const WHO_PLAYS = [
  {
    source: "typed-for-role",
    words: "--agent <role>=<command>",
    where: "on the command line",
    brief: "`--agent <role>=<command>`",
    forPlayed: true,
  },
  {
    source: "typed",
    words: "--agent <command>",
    where: "on the command line; never for a role with `agent` in the workflow",
    brief: "`--agent <command>`",
    forPlayed: false,
  },
  {
    source: "user",
    words: "agentOverrides.<workflow>.<role>",
    where: "in your config.yaml: the name of an entry of `agents`",
    brief: "your `agentOverrides`",
    forPlayed: true,
  },
  {
    source: "workflow",
    words: "agent",
    where:
      "of the role in the workflow: a person (`human`) or another workflow. For such a role the list ends here",
    brief: "the workflow's own `agent`",
    forPlayed: true,
  },
  {
    source: "project",
    words: "agentOverrides.<workflow>.<role>",
    where: "in the project's `.workflows/config.yaml`: the name of an entry of your `agents`",
    brief: "the project's `agentOverrides`",
    forPlayed: false,
  },
  {
    source: "default",
    words: "defaultAgent",
    where: "in your config.yaml",
    brief: "your `defaultAgent`",
    forPlayed: false,
  },
] as const satisfies readonly WhoPlays[];

type PlayerSource = (typeof WHO_PLAYS)[number]["source"];

type WhoPlays = {
  readonly source: string;
  /** As people write it. */
  readonly words: string;
  readonly where: string;
  /** Both in brief. */
  readonly brief: string;
  /** Whether it also counts for a role to which the workflow gives a person or another workflow. */
  readonly forPlayed: boolean;
};

/** What one command line, the workflow and both configurations say. */
export type Cast = {
  readonly role: string;
  readonly workflow: WorkflowPayload;
  /** `null` when there is no config.yaml. */
  readonly config: WorkflowConfig | null;
  /** `null` when the project says nothing. */
  readonly project: ProjectConfig | null;
  readonly request: Pick<StepRequest, "agents" | "answer" | "retries">;
};

/** An agent, or a person, for whom `agent` is a name in the log. */
type Player = { readonly agent: AgentCommand; readonly human: HumanPlayer | null };

/** What each source says of the role; `null`: nothing. */
const FIND: Readonly<Record<PlayerSource, (cast: Cast) => Result<Player | null, Fault>>> = {
  "typed-for-role": (cast) => agentFound(typedAgent(cast, cast.role)),
  typed: (cast) => agentFound(typedAgent(cast, null)),
  user: (cast) => agentFound(aliasOf(cast.config, overrideIn(cast.config, cast))),
  workflow: ({ workflow, role }) => ok(playerIn(workflow, role)),
  project: projectAgent,
  default: ({ config }) => agentFound(aliasOf(config, config?.defaultAgent ?? null)),
};

/** Who plays the role, or why no step can say it. */
export function planRun(cast: Cast): Result<RunPlan, Fault> {
  const { role, workflow, request } = cast;
  const definition = own(workflow.roles, role);
  if (definition === null) throw new Error(`the moderator chose the unknown role ${role}`);
  const stranger = strangerAmong(request.agents, workflow);
  if (stranger !== null) return err(stranger);
  for (const { source, forPlayed } of WHO_PLAYS) {
    if (definition.agent !== null && !forPlayed) continue;
    const found = FIND[source](cast);
    if (!found.ok) return found;
    if (found.value !== null) return ok(planned(cast, definition.meta, found.value));
  }
  // Whether a person is asked is judged later; no agent is needed for it.
  return request.answer === null
    ? err(fault("NO_AGENT", { workflow: workflow.name, role, ofChild: false }))
    : ok(planned(cast, definition.meta, { agent: PERSON, human: null }));
}

function planned({ role, request }: Cast, meta: RunPlan["meta"], { agent, human }: Player): RunPlan {
  const retries = request.retries ?? agent.retries;
  return { kind: "run", role, meta, agent: human === null ? { ...agent, retries } : agent, human };
}

/** A person is never started: this is what the log calls them. */
const PERSON: AgentCommand = typedCommand({ words: ["human"] });

function agentFound(agent: AgentCommand | null): Result<Player | null, never> {
  return ok(agent === null ? null : { agent, human: null });
}

function typedAgent({ request, config }: Cast, role: string | null): AgentCommand | null {
  const given = request.agents.find((each) => each.role === role);
  return given === undefined ? null : (aliasOf(config, given.text) ?? typedCommand(given));
}

function playerIn(workflow: WorkflowPayload, role: string): Player | null {
  const player = own(workflow.roles, role)?.agent ?? null;
  if (player === null) return null;
  if ("human" in player) return { agent: PERSON, human: player.human };
  return { agent: typedCommand({ words: childrenCommand(player.workflow) }), human: null };
}

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

/** The project chooses among the user's aliases: a name that is not one of them is never run as a command. */
function projectAgent(cast: Cast): Result<Player | null, Fault> {
  const { project, workflow, config } = cast;
  const name = overrideIn(project, cast);
  if (project === null || name === null) return ok(null);
  const agent = aliasOf(config, name);
  if (agent !== null) return agentFound(agent);
  // All of this workflow's at once: the next role would only say the same.
  const missing = undefinedAliases(project, config).filter((each) => each.workflow === workflow.name);
  const hasAgents = Object.keys(config?.agents ?? {}).length > 0;
  return err(fault("ALIAS_UNDEFINED", { file: project.file, missing, hasAgents }));
}

/** The alias that a config.yaml names for the role. */
export function overrideIn(
  config: Pick<WorkflowConfig, "agentOverrides"> | null,
  { workflow, role }: Pick<Cast, "workflow" | "role">,
): string | null {
  return own(own(config?.agentOverrides ?? {}, workflow.name) ?? {}, role);
}

/** The alias that a plain `--agent`, which names no role, keeps from playing it; `null`: none. */
export function displacedAlias(
  cast: Cast,
): { readonly alias: string; readonly from: "user" | "project" } | null {
  const plain = cast.request.agents.find(({ role }) => role === null);
  const isNamed = cast.request.agents.some(({ role }) => role === cast.role);
  if (plain === undefined || isNamed || playerIn(cast.workflow, cast.role) !== null) return null;
  const mine = overrideIn(cast.config, cast);
  const alias = mine ?? overrideIn(cast.project, cast);
  if (alias === null || alias === plain.text) return null;
  return { alias, from: mine === null ? "project" : "user" };
}

/** The fault of a command that names a role which the workflow does not have. */
export function strangerIn(
  workflow: WorkflowPayload,
  { until, agents }: Pick<StepRequest, "until" | "agents">,
): Fault | null {
  const unknown = until === null ? null : strangerTo(workflow, until, "--until");
  return unknown ?? strangerAmong(agents, workflow);
}

/** A role that the workflow does not have, before anything is started for it. */
function strangerAmong(agents: StepRequest["agents"], workflow: WorkflowPayload): Fault | null {
  const faults = agents.flatMap(({ role }) =>
    role === null ? [] : (strangerTo(workflow, role, `--agent ${role}=…`) ?? []),
  );
  return faults[0] ?? null;
}

/** `what`: the option that names the role. */
export function strangerTo(workflow: WorkflowPayload, role: string, what: string): Fault | null {
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

function aliasOf(config: WorkflowConfig | null, name: string | null): AgentCommand | null {
  const agent = config === null || name === null ? null : own(config.agents, name);
  return agent === null ? null : commandOf(agent);
}

function commandOf(agent: WorkflowConfig["agents"][string]): AgentCommand {
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
