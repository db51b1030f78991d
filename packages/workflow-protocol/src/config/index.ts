export type { AgentConfig, ModelConfig, ProviderConfig, WorkflowConfig } from "./types.js";
