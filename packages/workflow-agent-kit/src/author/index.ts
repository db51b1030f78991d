export { type Called, callContinue, callRun, failureLine, mergeFacts } from "./call.js";
export { buildContext } from "./context.js";
export { asAgent, asSession, NOTHING_KNOWN } from "./gate.js";
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
  WaitingReply,
} from "./types.js";
