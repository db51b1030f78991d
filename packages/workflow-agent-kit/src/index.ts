/// <reference types="node" preserve="true" />
export { isObject, type JsonObject, type JsonValue } from "@uncaged/json-cas";
export {
  err,
  exitCodeOf,
  type FailureReason,
  type Fault,
  isSessionId,
  ok,
  type Result,
  shellWord,
  type Why,
} from "@uncaged/workflow-protocol";
export { readStoredFile, type StoredFile } from "@uncaged/workflow-store";
export { type Frontmatter, parseFrontmatterMarkdown } from "@uncaged/workflow-util";
export { accept, declaresInItems, type FieldNames, fieldNames, selectDeclared } from "./accept.js";
export type {
  AgentContext,
  AgentDefinition,
  AgentReply,
  Continue,
  FailedReply,
  OutputReply,
  SessionFacts,
  TextReply,
  ToolCallFacts,
  TurnFacts,
  WaitingReply,
} from "./author.js";
export { answerCasGet, CAS_GET } from "./cas-get.js";
export { closedValues, openValues, type ShownValues } from "./example/index.js";
export { extract, type ValidFrontmatter, validateFrontmatter } from "./extract.js";
export { renderFault, whyOf } from "./fault.js";
export { printText, writeStderr } from "./host.js";
export { jsonObjectIn } from "./json-object.js";
export { createJudge, type Judge, type JudgeContext } from "./judge.js";
export { createAgent } from "./main/index.js";
export {
  type Completion,
  type CompletionFailure,
  type CompletionRequest,
  type CompletionToolCall,
  type ConfigLocation,
  type ModelChoice,
  type OpenModel,
  openModel,
} from "./model.js";
export { type NextPrompt, nextPrompt, type PromptHost } from "./next-prompt.js";
export { readLeadingOptions } from "./options.js";
export {
  checkProgram,
  missingProgram,
  type ProgramAgent,
  type ProgramOrder,
  type ProgramPort,
  type ProgramReport,
  type ProgramResult,
  programReport,
  runProgram,
  runProgramAgent,
  timeoutMsOf,
} from "./program.js";
export {
  buildOutputFormatInstruction,
  buildRolePrompt,
  exampleOf,
  outputExample,
  outputFields,
  type PromptStep,
  type RolePromptInput,
} from "./prompt/index.js";
export { addUsage, usageOfAnswer } from "./report.js";
export { sessionTurns } from "./resume.js";
export { hasUnlistedOrder, referenceField } from "./schema.js";
