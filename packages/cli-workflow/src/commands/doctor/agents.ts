import { suggest } from "@uncaged/json-cas";
import {
  type AgentConfig,
  exitCodeOf,
  hintOf,
  messageOf,
  type WorkflowConfig,
} from "@uncaged/workflow-protocol";
import {
  configFile,
  findLocalWorkflows,
  readRegistry,
  readWorkflow,
  type Storage,
} from "@uncaged/workflow-store";
import type { Redactor } from "@uncaged/workflow-util";
import { agentsOnPath } from "../../agents/index.js";
import type { Host } from "../../io/index.js";
import { type Found, failing, fine, warning } from "./findings.js";
import { setupCommand } from "./setup-command.js";
import { findProgram } from "./version.js";

/** PATH may be full of them; each costs a process. */
const MAX_UNCONFIGURED = 16;

/** Every agent that is configured or lies on PATH, started with `--version`, all at once. */
export async function checkAgents(
  host: Host,
  storage: Storage,
  config: WorkflowConfig | null,
  redactor: Redactor,
): Promise<readonly Found[]> {
  const configured = Object.entries(config?.agents ?? {});
  const commands = new Set(configured.map(([, { command }]) => command));
  const others = agentsOnPath(host.env.PATH ?? "").filter((name) => !commands.has(name));
  const checks = [
    ...configured.map(([alias, agent]) =>
      configuredAgent({ host, storage, redactor }, alias, agent, isUsed(config, alias)),
    ),
    ...others.slice(0, MAX_UNCONFIGURED).map((name) => otherAgent(host, name, redactor)),
  ];
  const overrides = config === null ? [] : await checkOverrides(host, storage, config);
  return [...defaultAgent(host, storage, config), ...(await Promise.all(checks)), ...overrides];
}

function defaultAgent(host: Host, storage: Storage, config: WorkflowConfig | null): readonly Found[] {
  if (config === null) return [];
  const name = config.defaultAgent;
  if (name !== null) return [fine("agents", `the default agent is ${name}`)];
  const message = "there is no default agent: a role without an override needs --agent";
  return [
    warning("agents", message, `set defaultAgent in ${configFile(storage)}, or run ${setupCommand(host)}`),
  ];
}

function isUsed(config: WorkflowConfig | null, alias: string): boolean {
  const overrides = Object.values(config?.agentOverrides ?? {}).flatMap((roles) => Object.values(roles));
  return config?.defaultAgent === alias || overrides.includes(alias);
}

type At = { readonly host: Host; readonly storage: Storage; readonly redactor: Redactor };

async function configuredAgent(at: At, alias: string, agent: AgentConfig, used: boolean): Promise<Found> {
  const { host, storage } = at;
  const program = await findProgram(host, agent.command, agent.env, at.redactor);
  if (program.ok) {
    const { file, version } = program.value;
    return fine("agents", `agent ${alias} is ${file}, ${version ?? "which tells no version"}`);
  }
  const message = `agent ${alias}: ${messageOf(program.error)}`;
  const fix = `install ${agent.command}, or correct agents.${alias} in ${configFile(storage)}; cron's PATH is shorter than your shell's`;
  return used ? failing("agents", message, fix, exitCodeOf(program.error)) : warning("agents", message, fix);
}

async function otherAgent(host: Host, name: string, redactor: Redactor): Promise<Found> {
  const program = await findProgram(host, name, null, redactor);
  if (!program.ok) return warning("agents", messageOf(program.error), hintOf(program.error));
  const { file, version } = program.value;
  return fine("agents", `${file} is on PATH and not configured, ${version ?? "and tells no version"}`);
}

/** An override for a workflow or role that does not exist has no effect, and nothing else would say so. */
async function checkOverrides(
  host: Host,
  storage: Storage,
  { agentOverrides }: WorkflowConfig,
): Promise<readonly Found[]> {
  const names = Object.entries(agentOverrides);
  const registry = names.length === 0 ? null : await readRegistry(storage);
  if (registry === null || !registry.ok) return [];
  const local = findLocalWorkflows(host.cwd).map(({ name }) => name);
  const known = [...Object.keys(registry.value), ...local];
  const fix = `correct agentOverrides in ${configFile(storage)}`;
  return names.flatMap(([workflow, roles]) => {
    const hash = registry.value[workflow];
    const stored = hash === undefined ? null : readWorkflow(storage.cas, hash);
    if (stored?.ok)
      return unknownRoles(workflow, Object.keys(roles), Object.keys(stored.value.payload.roles), fix);
    if (stored !== null || local.includes(workflow)) return [];
    return [
      warning(
        "agents",
        `agentOverrides: there is no workflow ${workflow}${didYouMean(workflow, known)}`,
        fix,
      ),
    ];
  });
}

function unknownRoles(
  workflow: string,
  named: readonly string[],
  roles: readonly string[],
  fix: string,
): readonly Found[] {
  return named
    .filter((role) => !roles.includes(role))
    .map((role) =>
      warning(
        "agents",
        `agentOverrides: workflow ${workflow} has no role ${role}${didYouMean(role, roles)}`,
        fix,
      ),
    );
}

function didYouMean(word: string, known: readonly string[]): string {
  const nearest = suggest(word, known);
  return nearest === null ? "" : `, did you mean "${nearest}"?`;
}
