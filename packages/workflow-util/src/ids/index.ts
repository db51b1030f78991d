export {
  asThreadId,
  hasThreadIdPart,
  isThreadIdPart,
  newThreadId,
  parseThreadId,
  timeOfThreadId,
} from "./thread-id.js";
