import { type Fault, LIMITS, type Result } from "@uncaged/workflow-protocol";
import { withIndexLock } from "../locks/index.js";
import type { Storage } from "../storage/index.js";
import { readOptionalText } from "../text-file/index.js";
import { configFile, envFile } from "./files.js";
import { mergeConfig } from "./merge-config.js";
import { mergeEnvFile } from "./merge-env.js";
import type { ConfigChanges, ConfigPaths } from "./types.js";
import { writeConfigFiles } from "./write.js";

/**
 * `uwf setup`'s write: puts the changes into config.yaml and the keys into `.env`, under the index lock, so that two
 * setups at once lose nothing. Both texts are made before either file is touched; without keys `.env` is left alone.
 */
export function updateConfigFiles(
  storage: Storage,
  changes: ConfigChanges,
  keys: Readonly<Record<string, string>>,
): Promise<Result<ConfigPaths, Fault>> {
  return withIndexLock(storage, async () => {
    const config = readOptionalText(configFile(storage), LIMITS.config);
    if (!config.ok) return config;
    const env = readOptionalText(envFile(storage), LIMITS.config);
    if (!env.ok) return env;
    const mergedConfig = await mergeConfig(config.value, changes, configFile(storage));
    if (!mergedConfig.ok) return mergedConfig;
    const mergedEnv = await mergeEnvFile(env.value, keys);
    if (!mergedEnv.ok) return mergedEnv;
    const untouched = Object.keys(keys).length === 0;
    return writeConfigFiles(storage, { config: mergedConfig.value, env: untouched ? null : mergedEnv.value });
  });
}
