import { option, type Request, text } from "@uncaged/command-line";
import { checkAgentProgram, undefinedAliases } from "@uncaged/workflow-engine";
import {
  err,
  type Fault,
  fault,
  hintOf,
  messageOf,
  ok,
  problemLine,
  type Result,
} from "@uncaged/workflow-protocol";
import {
  loadConfig,
  loadDotEnv,
  loadProjectConfig,
  type Storage,
  updateConfigFiles,
  type WorkflowConfig,
} from "@uncaged/workflow-store";
import {
  AGENT,
  CONFIG_FAULTS,
  type CommandContext,
  type CommandResult,
  defineRootCommand,
  NAME,
} from "../../line/index.js";
import { type Field, renderFields } from "../../screen/index.js";
import { document } from "../output.js";
import { agentAlias, answersFromFlags, maskKey, modelAlias } from "./flags.js";

const OPTIONS = {
  provider: option(NAME, "name of the provider"),
  baseUrl: option(text("url"), "its OpenAI-compatible endpoint"),
  apiKey: option(text("key"), "- reads it from stdin"),
  model: option(NAME, "the model's name at the provider"),
  // One that is not there yet is a warning.
  agent: option(
    { ...AGENT, faults: [] },
    "the default agent; the only option needed if it has its own login",
  ),
};

/** The answers given to `uwf setup`; `null` if not given. */
export type SetupRequest = Request<Record<never, never>, typeof OPTIONS>;

/** Everything that setup writes; `null` stays as it is. */
export type SetupAnswers = {
  /** `null`: the agent has its own login. */
  readonly provider: SetupProvider | null;
  /** The model's name at the provider. */
  readonly model: { readonly provider: string; readonly name: string } | null;
  readonly agent: Words | null;
  /** What the aliases of the project around this folder are, as far as somebody has said it. */
  readonly aliases: readonly { readonly alias: string; readonly words: Words }[];
};

/** Program and arguments. */
export type Words = readonly [string, ...string[]];

type SetupProvider = {
  readonly name: string;
  readonly baseUrl: string;
  /** `null`: the provider needs none. */
  readonly apiKey: { readonly variable: string; readonly value: string | null } | null;
};

/** Writes config.yaml and .env. With any option it asks nothing; without, it asks everything. */
export const command = defineRootCommand({
  path: "setup",
  summary: "write config.yaml and .env; asks if called without options",
  options: OPTIONS,
  examples: [
    "uwf setup",
    "uwf setup --agent uwf-claude",
    "uwf setup --provider openrouter --base-url https://openrouter.ai/api/v1 --model anthropic/claude-sonnet-4 --api-key - < key.txt",
  ],
  exits: [...CONFIG_FAULTS, "LOCK_BUSY", "INTERRUPTED"],
  sample: {
    line: "setup --agent uwf-claude",
    prints: `config  /home/kim/.uncaged/workflow/config.yaml
env     /home/kim/.uncaged/workflow/.env
agent   claude`,
  },
  run: async (context, request, storage) => {
    const answers = await gather(context, storage, request);
    if (!answers.ok) return answers;
    if (request.apiKey !== null && request.apiKey !== "-") {
      context.warn(
        "a key on the command line is visible to other users and stays in the shell history: use --api-key -",
      );
    }
    const { agent } = answers.value;
    if (agent !== null) await warnOfAgent(context, agent);
    const written = await write(storage, answers.value);
    if (!written.ok) return written;
    await tellLimits(context, storage, answers.value);
    context.tell(
      agent === null
        ? "next: choose who plays the roles with `uwf setup --agent <command>`; `uwf doctor` lists the agents on PATH"
        : "next: check it with `uwf doctor`; then `uwf run <workflow> -p <prompt>`; `uwf init` writes a workflow to begin with",
    );
    return written;
  },
});

async function gather(
  context: CommandContext,
  storage: Storage,
  request: SetupRequest,
): Promise<Result<SetupAnswers, Fault>> {
  const { host } = context;
  const config = await loadConfig(storage);
  if (!config.ok) return config;
  for (const problem of config.value.warnings) context.warn(problemLine(problem, config.value.file));
  const dotEnv = await loadDotEnv(storage);
  if (!dotEnv.ok) return dotEnv;
  if (dotEnv.value.warning !== null) context.warn(dotEnv.value.warning);
  const asks = Object.values(request).every((value) => value === null);
  if (!asks || !host.stdinIsTerminal() || !host.stderr.isTerminal()) {
    const known = { config: config.value.config, dotEnv: dotEnv.value.variables };
    const answers = answersFromFlags(host, request, known);
    if (answers.ok && request.agent === null) tellOfAgent(context, answers.value, config.value.config);
    return answers;
  }
  // The wizard and its library are loaded only if a person can answer.
  const { askSetup } = await import("./wizard.js");
  const project = await loadProjectConfig(host.cwd);
  // What is wrong with it the steps and doctor say.
  const missing =
    project.ok && project.value !== null ? undefinedAliases(project.value, config.value.config) : [];
  const answers = await askSetup(host, {
    dotEnv: dotEnv.value.variables,
    config: config.value.config,
    missing,
  });
  return answers === null ? err(fault("INTERRUPTED", { signal: "SIGINT", recorded: null })) : ok(answers);
}

/** A model without an agent: what plays the roles now. */
function tellOfAgent(
  { tell, warn }: CommandContext,
  { model, agent }: SetupAnswers,
  config: WorkflowConfig | null,
): void {
  if (agent !== null)
    tell(
      `${agent[0]} plays every role that has no other agent, with this model; --agent <command> chooses another`,
    );
  else if (model !== null && (config?.defaultAgent ?? null) === null)
    warn(
      "no agent plays the roles yet: --agent is missing, and uwf-llm, which would use this model, is not on PATH",
    );
}

/** It may be installed later: it is written all the same. */
async function warnOfAgent({ host, warn }: CommandContext, words: Words): Promise<void> {
  const able = await checkAgentProgram(host, words);
  if (able.ok) return;
  const isMistyped = able.error.code === "AGENT_NOT_FOUND";
  warn(isMistyped ? messageOf(able.error) : `${messageOf(able.error)}: ${hintOf(able.error)}`);
}

async function tellLimits(
  { tell }: CommandContext,
  storage: Storage,
  { agent, aliases }: SetupAnswers,
): Promise<void> {
  const loaded = await loadConfig(storage);
  if (!loaded.ok) return;
  const { config, file } = loaded.value;
  const names = [...(agent === null ? [] : [agentAlias(agent[0])]), ...aliases.map(({ alias }) => alias)];
  for (const name of names) {
    const seconds = config?.agents[name]?.idleSeconds ?? null;
    if (seconds !== null)
      tell(
        `${name} has idleSeconds: ${seconds} in ${file}: uwf ends a run without a sign of life for this long`,
      );
  }
}

async function write(storage: Storage, answers: SetupAnswers): CommandResult {
  const { provider, model, agent, aliases } = answers;
  const apiKey = provider?.apiKey ?? null;
  const alias = model === null ? null : modelAlias(model.name);
  const agentName = agent === null ? null : agentAlias(agent[0]);
  const changes = {
    provider:
      provider === null
        ? null
        : { name: provider.name, baseUrl: provider.baseUrl, apiKeyEnv: apiKey?.variable ?? null },
    model: model === null || alias === null ? null : { alias, ...model },
    agent:
      agent === null || agentName === null
        ? null
        : { alias: agentName, command: agent[0], args: agent.length > 1 ? agent.slice(1) : null },
    aliases: aliases.map(({ alias: name, words: [command, ...args] }) => ({ alias: name, command, args })),
    defaultModel: alias,
    defaultAgent: agentName,
  };
  const keys = apiKey === null || apiKey.value === null ? {} : { [apiKey.variable]: apiKey.value };
  const paths = await updateConfigFiles(storage, changes, keys);
  if (!paths.ok) return paths;
  const masked = apiKey?.value == null ? {} : { apiKey: maskKey(apiKey.value) };
  const output = {
    config: paths.value.config,
    env: paths.value.env,
    provider: provider?.name ?? null,
    model: alias,
    agent: agentName,
    ...masked,
    ...(aliases.length === 0 ? {} : { aliases: aliases.map((each) => each.alias) }),
  };
  const fields = Object.entries(output).map(
    ([label, value]): Field => [label, Array.isArray(value) ? value.join(", ") : value],
  );
  return document(output, (screen) => renderFields(screen, fields));
}
