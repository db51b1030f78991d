import { existsSync, statSync } from "node:fs";
import { problemLine, shellWord, type WorkflowConfig } from "@uncaged/workflow-protocol";
import { configFile, type DotEnv, loadConfig, loadDotEnv, type Storage } from "@uncaged/workflow-store";
import type { Host } from "../../io/index.js";
import { type Found, failing, faulty, fine, warning } from "./findings.js";
import { setupCommand } from "./setup-command.js";

const GROUP_MAY_WRITE = 0o020;

/** What stands in config.yaml and .env. `config` is `null` where there is none that can be used. */
export type CheckedConfig = { readonly found: readonly Found[]; readonly config: WorkflowConfig | null };

export async function checkConfig(host: Host, storage: Storage): Promise<CheckedConfig> {
  const dotEnv = await loadDotEnv(storage);
  const env = dotEnv.ok ? envFile(dotEnv.value) : [faulty(".env", dotEnv.error)];
  const loaded = await loadConfig(storage);
  if (!loaded.ok) return { found: [faulty("config.yaml", loaded.error), ...env], config: null };
  const { config, file, warnings } = loaded.value;
  if (config === null) {
    const none = warning("config.yaml", `there is no ${file}: every step needs --agent`, setupCommand(host));
    return { found: [none, ...env], config: null };
  }
  const problems = warnings.map((each) => warning("config.yaml", problemLine(each, file), `correct ${file}`));
  const keys = checkKeys(host, config, dotEnv.ok ? dotEnv.value : null);
  return {
    found: [fine("config.yaml", `${file} is valid`), ...problems, ...writers(storage), ...env, ...keys],
    config,
  };
}

/** It holds no keys, but it names the programs that run as this user. */
function writers(storage: Storage): readonly Found[] {
  const file = configFile(storage);
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & GROUP_MAY_WRITE) === 0) return [];
  return [
    warning(
      "config.yaml",
      `your group may write ${file}: its members could name the agents that you run`,
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
