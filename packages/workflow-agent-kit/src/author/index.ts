export { type Called, callContinue, callRun, failureLine } from "./call.js";
export { type BuiltContext, buildContext } from "./context.js";
export { asAgent, asReply, asSession, NOTHING_KNOWN } from "./gate.js";
export { mergeFacts } from "./merge.js";
export type {
  Agent,
  AgentContext,
  AgentDefinition,
  AgentReply,
  Continue,
  FailedReply,
  OutputReply,
  Reply,
  SessionFacts,
  TextReply,
  ToolCallFacts,
  TurnFacts,
} from "./types.js";
