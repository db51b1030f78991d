// The commands themselves are loaded one by one, see commands.made.ts; what stands here is needed by every process, or by a
// way in of its own (`complete`).
export { MOUNTED, StorageFault } from "./cas/index.js";
export { COMPLETE, complete } from "./complete.js";
