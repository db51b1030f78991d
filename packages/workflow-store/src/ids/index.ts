export { isThreadId, THREAD_ID } from "./thread-id.js";
