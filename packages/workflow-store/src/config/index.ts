export {
  configFile,
  envFile,
  loadConfig,
  loadDotEnv,
  PROVIDER_PRESETS,
} from "./load.js";
export { loadProjectConfig, loadThreadProject, type ProjectConfig, projectStamp } from "./project.js";
export {
  type KeySources,
  keyNames,
  readProjectEnv,
  redactorOf,
  secretsIn,
  strangeField,
  strangeText,
} from "./secrets.js";
export {
  type AgentConfig,
  CONFIG,
  type ModelConfig,
  type NotifyConfig,
  type NotifyEvent,
  type ProviderConfig,
  type SandboxConfig,
  type WorkflowConfig,
} from "./shape.js";
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
