export { DETAIL_FIELDS, FIELD_TYPES, isOfType } from "./field-types.js";
export {
  readChainNode,
  readContent,
  readFileChunk,
  readFileNode,
  readOutput,
  readStart,
  readStep,
  readWorkflow,
  typeName,
} from "./read.js";
export type { ChainNode, StartNode, StepNode, WorkflowNode } from "./types.js";
export {
  ensureTypes,
  hashOfStart,
  put,
  putAnswer,
  putContent,
  putExtractedSession,
  putJoin,
  putReactSession,
  putReactToolCall,
  putReactTurn,
  putStart,
  putStep,
  putWorkflow,
  storedWorkflow,
  TYPE,
} from "./write.js";
