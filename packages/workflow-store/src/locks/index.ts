export { INDEX_WAIT_MS, withIndexLock } from "./index-lock.js";
export { type LockFile, listLocks } from "./list.js";
export { indexLockPath, threadLockPath } from "./paths.js";
