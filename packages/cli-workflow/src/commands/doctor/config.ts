import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import {
  agentsToChoose,
  allMisspeltNames,
  drivesAProgram,
  lackingCommand,
  lackingModel,
  type NamingConfig,
  runsACommand,
  undefinedAliases,
} from "@uncaged/workflow-engine";
import {
  type ExitCode,
  exitCodeOf,
  fault,
  hintOf,
  messageOf,
  problemLine,
  shellWord,
} from "@uncaged/workflow-protocol";
import {
  type DotEnv,
  loadConfig,
  loadDotEnv,
  loadProjectConfig,
  type Storage,
  type WorkflowConfig,
} from "@uncaged/workflow-store";
import { type Redactor, resolveCommand } from "@uncaged/workflow-util";
import type { Host } from "../../io.js";
import { type Found, failing, faulty, fine, setupCommand, warning } from "./findings.js";
import { findProgram } from "./machine.js";

/** PATH may be full of them; each costs a process. */
const MAX_UNCONFIGURED = 16;

/** Every agent that is configured or on PATH, started with `--version`, all at once. */
export async function checkAgents(
  host: Host,
  storage: Storage,
  config: UserConfig | null,
  redactor: Redactor,
): Promise<readonly Found[]> {
  const configured = Object.entries(config?.agents ?? {});
  const commands = new Set(configured.map(([, { command }]) => command));
  const others = agentsToChoose(host.env.PATH ?? "").filter((name) => !commands.has(name));
  const checks = [
    ...configured.map(([alias, agent]) =>
      configuredAgent({ host, storage, config, redactor }, alias, agent, isUsed(config, alias)),
    ),
    ...others.slice(0, MAX_UNCONFIGURED).map((name) => otherAgent(host, name, redactor)),
  ];
  const names = config === null ? [] : await checkNames("agents", config, { host, storage });
  const unlimited = configured.filter(
    ([, { timeoutSeconds, idleSeconds }]) => timeoutSeconds === null && idleSeconds === null,
  );
  return [
    ...defaultAgent(host, storage, config),
    ...(await Promise.all(checks)),
    ...withoutLimit(
      storage,
      unlimited.map(([alias]) => alias),
    ),
    ...names,
  ];
}

function defaultAgent(host: Host, storage: Storage, config: WorkflowConfig | null): readonly Found[] {
  if (config === null) return [];
  const name = config.defaultAgent;
  if (name !== null) return [fine("agents", `the default agent is ${name}`)];
  const message = "there is no default agent: a role without an override needs --agent";
  return [
    warning("agents", message, `set defaultAgent in ${storage.paths.config}, or run ${setupCommand(host)}`),
  ];
}

function withoutLimit(storage: Storage, aliases: readonly string[]): readonly Found[] {
  const [first] = aliases;
  if (first === undefined) return [];
  const who = aliases.length === 1 ? `agent ${first} has` : `agents ${aliases.join(", ")} have`;
  const message = `${who} no time limit: a run that hangs keeps its thread until you end it`;
  return [warning("agents", message, `set idleSeconds: 900 in agents.${first} in ${storage.paths.config}`)];
}

function isUsed(config: WorkflowConfig | null, alias: string): boolean {
  const overrides = Object.values(config?.agentOverrides ?? {}).flatMap((roles) => Object.values(roles));
  return config?.defaultAgent === alias || overrides.includes(alias);
}

type At = {
  readonly host: Host;
  readonly storage: Storage;
  readonly config: WorkflowConfig | null;
  readonly redactor: Redactor;
};

type AgentConfig = WorkflowConfig["agents"][string];

async function configuredAgent(at: At, alias: string, agent: AgentConfig, used: boolean): Promise<Found> {
  const { host, storage, config } = at;
  const program = await findProgram(host, agent.command, agent.env, at.redactor);
  const wrong = (message: string, fix: string, exitCode: ExitCode): Found =>
    used ? failing("agents", message, fix, exitCode) : warning("agents", message, fix);
  if (!program.ok) {
    const { error } = program;
    // Here the whole PATH is wanted.
    const reason =
      error.code === "AGENT_NOT_FOUND"
        ? `${error.command} was not found on PATH (${error.path})`
        : messageOf(error);
    const fix = /\s/.test(agent.command)
      ? hintOf(error)
      : `install ${agent.command}, or correct agents.${alias} in ${storage.paths.config}; cron's PATH is shorter than your shell's`;
    return wrong(`agent ${alias}: ${reason}`, fix, exitCodeOf(error));
  }
  const { file, version } = program.value;
  const is = `agent ${alias} is ${file}, ${version ?? "version unknown"}`;
  if (agent.sandbox !== null && !resolveCommand("bwrap", { path: host.env.PATH ?? "", cwd: "/" }).ok) {
    const lacking = `agent ${alias} has \`sandbox: bwrap\`, and bwrap is not on PATH: its steps exit 4`;
    const fix = `install bubblewrap, or take sandbox out of agents.${alias} in ${storage.paths.config}`;
    return wrong(lacking, fix, 4);
  }
  const caller = lackingModel([agent.command, ...agent.args], config);
  if (caller !== null) {
    const message = `${is}, but ${caller} calls a model and config.yaml names none for it: its steps fail`;
    const fix = `set defaultModel in ${storage.paths.config}, or run \`uwf setup\` with --provider, --base-url, --model and --api-key`;
    return wrong(message, fix, 4);
  }
  const [lacking, fix] = (await findLacking(at, alias, agent)) ?? [null, ""];
  return lacking === null ? fine("agents", is) : warning("agents", `${is}, but ${lacking}`, fix);
}

/** What an agent that is there needs to work, and how it gets that; `null`: nothing, or it does not say. */
async function findLacking(
  { host, storage }: At,
  alias: string,
  { command, args }: AgentConfig,
): Promise<readonly [message: string, fix: string] | null> {
  const config = storage.paths.config;
  if (lackingCommand([command, ...args]) !== null)
    return [
      "it needs a command in args and has none: its steps fail",
      `add the command to agents.${alias}.args in ${config}`,
    ];
  if (runsACommand(command) || (await drivesAProgram(host, command))) return null;
  const program = basename(command).replace(/^uwf-/, "");
  return [
    `the program that it drives, ${program}, is not installed`,
    `install ${program}, or choose another agent for agents.${alias} in ${config}`,
  ];
}

async function otherAgent(host: Host, name: string, redactor: Redactor): Promise<Found> {
  const program = await findProgram(host, name, null, redactor);
  if (!program.ok) return warning("agents", messageOf(program.error), hintOf(program.error));
  const { file, version } = program.value;
  const idle = (await drivesAProgram(host, name)) ? "" : "; the program that it drives is not installed";
  return fine("agents", `${file} is on PATH but not configured, ${version ?? "version unknown"}${idle}`);
}

/** A name of a workflow or role that does not exist; `check`: whose file it is. */
async function checkNames(
  check: string,
  config: NamingConfig,
  { host, storage }: Pick<At, "host" | "storage">,
): Promise<readonly Found[]> {
  const problems = await allMisspeltNames(config, { storage, cwd: host.cwd });
  return problems.map((problem) => {
    const message = problemLine(problem, config.file);
    const fix = `correct ${problem.path.split("/")[1]} in ${config.file}`;
    return problem.severity === "error" ? failing(check, message, fix, 4) : warning(check, message, fix);
  });
}

const GROUP_MAY_WRITE = 0o020;

/** config.yaml, and where things are in it. */
type UserConfig = WorkflowConfig & NamingConfig;

/** The content of config.yaml and .env. `config` is `null` if there is no usable one. */
type CheckedConfig = { readonly found: readonly Found[]; readonly config: UserConfig | null };

export async function checkConfig(host: Host, storage: Storage): Promise<CheckedConfig> {
  const dotEnv = await loadDotEnv(storage);
  const env = dotEnv.ok ? envFile(dotEnv.value) : [faulty(".env", dotEnv.error)];
  const loaded = await loadConfig(storage);
  if (!loaded.ok) return { found: [faulty("config.yaml", loaded.error), ...env], config: null };
  const { config, file, warnings, at } = loaded.value;
  if (config === null) {
    const none = warning("config.yaml", `there is no ${file}: every step needs --agent`, setupCommand(host));
    return { found: [none, ...env], config: null };
  }
  const problems = warnings.map((each) => warning("config.yaml", problemLine(each, file), `correct ${file}`));
  const keys = checkKeys(host, config, dotEnv.ok ? dotEnv.value : null);
  return {
    found: [fine("config.yaml", `${file} is valid`), ...problems, ...writers(storage), ...env, ...keys],
    config: { ...config, file, at },
  };
}

/** The settings of the project around this folder: of threads that work here. */
export async function checkProject(
  host: Host,
  storage: Storage,
  config: WorkflowConfig | null,
): Promise<readonly Found[]> {
  const loaded = await loadProjectConfig(host.cwd);
  if (!loaded.ok) return [faulty("project", loaded.error)];
  const project = loaded.value;
  if (project === null) return [];
  const missing = undefinedAliases(project, config);
  const hasAgents = Object.keys(config?.agents ?? {}).length > 0;
  const failure = fault("ALIAS_UNDEFINED", { file: project.file, missing, hasAgents });
  const names = await checkNames("project", project, { host, storage });
  return missing.length === 0
    ? [fine("project", `${project.file} is valid, and every alias in it is one of yours`), ...names]
    : [failing("project", messageOf(failure), hintOf(failure), exitCodeOf(failure)), ...names];
}

/** It holds no keys, but it names the programs that run as this user. */
function writers(storage: Storage): readonly Found[] {
  const file = storage.paths.config;
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & GROUP_MAY_WRITE) === 0) return [];
  return [
    warning(
      "config.yaml",
      `your group can write ${file}: its members could choose the agents that you run`,
      `run \`chmod g-w ${shellWord(file)}\``,
    ),
  ];
}

function envFile({ file, variables, warning: sentence }: DotEnv): readonly Found[] {
  if (sentence !== null) return [warning(".env", sentence, `run \`chmod 600 ${shellWord(file)}\``)];
  if (!existsSync(file)) return [fine(".env", `there is no ${file}: keys come from the environment`)];
  const names = Object.keys(variables);
  return [fine(".env", names.length === 0 ? `${file} sets nothing` : `${file} sets ${names.join(", ")}`)];
}

/** Every provider's key by the name of its variable; never its value. */
function checkKeys(host: Host, config: WorkflowConfig, dotEnv: DotEnv | null): readonly Found[] {
  const used = usedProviders(config);
  return Object.entries(config.providers).map(([provider, { apiKeyEnv }]) => {
    if (apiKeyEnv === null) return fine("keys", `provider ${provider} takes no key`);
    const place = host.env[apiKeyEnv] ? "the environment" : dotEnv?.variables[apiKeyEnv] ? ".env" : null;
    if (place !== null) return fine("keys", `${apiKeyEnv} of provider ${provider} is set in ${place}`);
    const message = `${apiKeyEnv} of provider ${provider} is not set`;
    const fix = `set ${apiKeyEnv} in ${dotEnv?.file ?? ".env"}, or run \`uwf setup --provider ${provider} --api-key -\` and type it in`;
    return used.has(provider) ? failing("keys", message, fix, 4) : warning("keys", message, fix);
  });
}

/** Providers of the models that something uses. */
function usedProviders({ defaultModel, modelOverrides, models }: WorkflowConfig): ReadonlySet<string> {
  const aliases = [defaultModel, ...Object.values(modelOverrides)];
  return new Set(aliases.flatMap((alias) => (alias === null ? [] : (models[alias]?.provider ?? []))));
}
