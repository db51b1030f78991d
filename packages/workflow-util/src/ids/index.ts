export { isThreadIdPrefix, newThreadId, parseThreadId, timeOfThreadId } from "./thread-id.js";
