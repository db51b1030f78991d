export { isThreadIdPrefix, newThreadId, parseThreadId } from "./thread-id.js";
