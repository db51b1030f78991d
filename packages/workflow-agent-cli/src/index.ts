/// <reference types="node" preserve="true" />
export * from "./adapters/index.js";
export { cliAgentMain } from "./main.js";
export type { Surroundings } from "./program.js";
export { createCliAgent, type Port } from "./runner.js";
export { type AgentEvent, type JsonRecord, recordIn, type Tokens } from "./trace.js";
