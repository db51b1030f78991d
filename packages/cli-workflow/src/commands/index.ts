// The commands themselves are loaded one by one, see commands.made.ts; these exports are needed by every
// process, or by an entry point of their own (`complete`).
export { MOUNTED, StorageFault } from "./cas/index.js";
export { COMPLETE, complete } from "./complete.js";
export { workflowName } from "./known-ids.js";
export { document } from "./output.js";
export { storeStart } from "./store-start.js";
export { workflowHash } from "./workflow-filter.js";
