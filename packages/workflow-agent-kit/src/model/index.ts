export { openModel } from "./open.js";
export type {
  Completion,
  CompletionFailure,
  CompletionRequest,
  CompletionToolCall,
  ModelChoice,
  ModelPlace,
  OpenModel,
} from "./types.js";
