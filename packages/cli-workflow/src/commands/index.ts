// The commands themselves are loaded one by one, see commands.made.ts; these exports are needed by every
// process, or by an entry point of their own (`complete`).
export { MOUNTED, StorageFault } from "./cas-mount.js";
export { COMPLETE, complete } from "./complete.js";
export { workflowHash, workflowName } from "./known-names.js";
export { document } from "./output.js";
export { storeStart } from "./store-start.js";
