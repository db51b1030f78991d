export { INDEX_WAIT_MS, withIndexLock } from "./index-lock.js";
export { threadLockPath } from "./paths.js";
