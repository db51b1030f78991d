export {
  readChainNode,
  readContent,
  readOutput,
  readStart,
  readStep,
  readWorkflow,
  typeName,
} from "./read.js";
export { DETAIL_FIELDS, FIELD_TYPES } from "./shape.js";
export type { ChainNode, StartNode, StepNode, WorkflowNode } from "./types.js";
export {
  ensureTypes,
  putContent,
  putExtractedSession,
  putReactSession,
  putReactToolCall,
  putReactTurn,
  putStart,
  putStep,
  putWorkflow,
  TYPE,
} from "./write.js";
