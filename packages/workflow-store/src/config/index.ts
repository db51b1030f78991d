export { configFile, loadConfig, loadDotEnv, PROVIDER_PRESETS } from "./load.js";
export { loadProjectConfig, loadThreadProject, type ProjectConfig, projectStamp } from "./project.js";
export { keyNames, readProjectEnv, redactorOf, secretsIn, strangeField, strangeText } from "./secrets.js";
export {
  type AgentConfig,
  CONFIG,
  type NotifyEvent,
  type SandboxConfig,
  type WorkflowConfig,
} from "./shape.js";
export type { ConfigChanges, DotEnv, LoadedConfig, ProviderPreset } from "./types.js";
export { mergeConfig, mergeEnvFile, updateConfigFiles, writeConfigFiles } from "./update.js";
