export {
  configFile,
  envFile,
  keyNames,
  loadConfig,
  loadDotEnv,
  loadSecrets,
  PROVIDER_PRESETS,
  secretsIn,
} from "./load.js";
export { loadProjectConfig, loadThreadProject, type ProjectConfig, projectStamp } from "./project.js";
export { CONFIG } from "./shape.js";
export type {
  AtRoot,
  ConfigChanges,
  ConfigPaths,
  ConfigTexts,
  DotEnv,
  LoadedConfig,
  ProviderPreset,
} from "./types.js";
export { mergeConfig, mergeEnvFile, updateConfigFiles, writeConfigFiles } from "./update.js";
