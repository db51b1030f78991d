export { DETAIL_FIELDS, FIELD_TYPES } from "./field-types.js";
export {
  readChainNode,
  readContent,
  readOutput,
  readStart,
  readStep,
  readWorkflow,
  typeName,
} from "./read.js";
export { ensureTypes, TYPE } from "./type-hashes.js";
export type { ChainNode, StartNode, StepNode, WorkflowNode } from "./types.js";
export {
  putContent,
  putExtractedSession,
  putReactSession,
  putReactToolCall,
  putReactTurn,
  putStart,
  putStep,
  putWorkflow,
} from "./write.js";
