export type { AgentConfig, ModelConfig, ProviderConfig, SandboxConfig, WorkflowConfig } from "./types.js";
