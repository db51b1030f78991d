/// <reference types="node" preserve="true" />
export * from "./adapters/index.js";
export { type Checkable, check, isReady, type Report } from "./check.js";
export { type AgentEvent, type JsonRecord, recordIn, type Tokens, type Trace } from "./events.js";
export { checkMain, cliAgentMain, processPlace, processPort } from "./main.js";
export {
  type Called,
  callProgram,
  findProgram,
  GRACE_MS,
  type ProgramCall,
  type ProgramRun,
  type Surroundings,
} from "./program.js";
export { createCliAgent, type Port } from "./runner/index.js";
export { listen } from "./trace.js";
