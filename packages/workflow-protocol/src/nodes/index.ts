export {
  CONTENT_SCHEMA,
  EXTRACTED_SESSION_SCHEMA,
  REACT_SESSION_SCHEMA,
  REACT_TOOL_CALL_SCHEMA,
  REACT_TURN_SCHEMA,
  START_NODE_SCHEMA,
  STEP_NODE_SCHEMA,
  WORKFLOW_SCHEMA,
} from "./schemas.js";
export type {
  ContentPayload,
  ExtractedSessionPayload,
  ReactSessionPayload,
  ReactToolCallPayload,
  ReactTurnPayload,
  StartNodePayload,
  StepNodePayload,
  StepRecord,
  Usage,
} from "./types.js";
