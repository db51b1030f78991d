export { asThreadId, isThreadIdPrefix, newThreadId, parseThreadId, timeOfThreadId } from "./thread-id.js";
