/// <reference types="node" preserve="true" />
export {
  type Adapter,
  type Call,
  claude,
  codex,
  cursor,
  type Ended,
  type Env,
  gemini,
  type Login,
  opencode,
  type Place,
  pi,
  type Request,
} from "./adapters/index.js";
export { type Checkable, check, isReady, type Report } from "./check/index.js";
export {
  type AgentEvent,
  type JsonRecord,
  listen,
  recordIn,
  type Tokens,
  type Trace,
} from "./events/index.js";
export { checkMain, cliAgentMain, processPlace, processPort } from "./main/index.js";
export {
  type Called,
  callProgram,
  findProgram,
  GRACE_MS,
  type ProgramCall,
  type ProgramRun,
  type Surroundings,
} from "./program/index.js";
export { createCliAgent, type Port } from "./runner/index.js";
