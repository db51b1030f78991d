import { err, type Fault, fault, ok, problemLine, type Result } from "@uncaged/workflow-protocol";
import { loadConfig, loadDotEnv, type Storage, updateConfigFiles } from "@uncaged/workflow-store";
import { document } from "../output.js";
import type { CommandContext, CommandResult } from "../types.js";
import { answersFromFlags } from "./flags.js";
import { agentAlias, maskKey, modelAlias } from "./names.js";
import type { SetupAnswers, SetupRequest } from "./types.js";

/** Writes config.yaml and .env. With any option it asks nothing; without, it asks everything. */
export async function setup(context: CommandContext, request: SetupRequest): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const answers = await gather(context, storage.value, request);
  if (!answers.ok) return answers;
  if (request.apiKey !== null && request.apiKey !== "-") {
    context.warn(
      "a key on the command line is seen by other users and kept in the shell's history: use --api-key -",
    );
  }
  return write(storage.value, answers.value);
}

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
  if (!asks) return answersFromFlags(host, request, dotEnv.value.variables);
  if (!host.stdinIsTerminal() || !host.stderr.isTerminal()) {
    return answersFromFlags(host, request, dotEnv.value.variables);
  }
  // The wizard and its library are loaded only where somebody answers.
  const { askSetup } = await import("./wizard.js");
  const answers = await askSetup(host, dotEnv.value.variables);
  return answers === null ? err(fault("INTERRUPTED", { signal: "SIGINT", recorded: null })) : ok(answers);
}

async function write(storage: Storage, answers: SetupAnswers): CommandResult {
  const { provider, baseUrl, apiKey, model, agent } = answers;
  const alias = modelAlias(model);
  const agentName = agent === null ? null : agentAlias(agent[0]);
  const changes = {
    provider: { name: provider, baseUrl, apiKeyEnv: apiKey?.variable ?? null },
    model: { alias, provider, name: model },
    agent:
      agent === null || agentName === null
        ? null
        : { alias: agentName, command: agent[0], args: agent.length > 1 ? agent.slice(1) : null },
    defaultModel: alias,
    defaultAgent: agentName,
  };
  const keys = apiKey === null || apiKey.value === null ? {} : { [apiKey.variable]: apiKey.value };
  const paths = await updateConfigFiles(storage, changes, keys);
  if (!paths.ok) return paths;
  const masked = apiKey?.value == null ? {} : { apiKey: maskKey(apiKey.value) };
  return document({
    config: paths.value.config,
    env: paths.value.env,
    provider,
    model: alias,
    agent: agentName,
    ...masked,
  });
}
