/// <reference types="node" preserve="true" />
export * from "./adapters/index.js";
export {
  type AgentEvent,
  asText,
  count,
  inner,
  type JsonRecord,
  list,
  recordIn,
  resultText,
  type Tokens,
  type Trace,
  text,
  tokensOf,
} from "./events.js";
export {
  type Checkable,
  check,
  checkMain,
  cliAgentMain,
  isReady,
  processPlace,
  processPort,
} from "./main.js";
export {
  type Called,
  callProgram,
  type Env,
  findProgram,
  GRACE_MS,
  LONGEST_ARGUMENT,
  type ProgramCall,
  type ProgramRun,
  type Surroundings,
} from "./program.js";
export { createCliAgent, type Port } from "./runner.js";
export { listen } from "./trace.js";
