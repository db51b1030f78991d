export { loadDotEnv } from "./dotenv.js";
export { configFile, envFile } from "./files.js";
export { loadConfig } from "./load.js";
export { mergeConfig } from "./merge-config.js";
export { mergeEnvFile } from "./merge-env.js";
export { PROVIDER_PRESETS } from "./presets.js";
export { keyNames, loadSecrets, secretsIn } from "./secrets.js";
export type {
  AtRoot,
  ConfigChanges,
  ConfigPaths,
  ConfigTexts,
  DotEnv,
  LoadedConfig,
  ProviderPreset,
} from "./types.js";
export { updateConfigFiles } from "./update.js";
export { writeConfigFiles } from "./write.js";
