export { type DotEnv, type LoadedConfig, loadConfig, loadDotEnv } from "./load.js";
export { loadProjectConfig, loadThreadProject, type ProjectConfig, projectStamp } from "./project.js";
export { keyNames, readProjectEnv, redactorOf, secretsIn, strangeWord } from "./secrets.js";
export {
  CONFIG,
  type NotifyEvent,
  type SandboxConfig,
  type WorkflowConfig,
} from "./shape.js";
export {
  type ConfigChanges,
  mergeConfig,
  mergeEnvFile,
  updateConfigFiles,
  writeConfigFiles,
} from "./update.js";
