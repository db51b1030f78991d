// The commands themselves are loaded one by one, see program/load.ts; what stands here is needed by every process, or by a
// way in of its own (`complete`).
export { MOUNTED, StorageFault } from "./cas/index.js";
export {
  COMPLETE,
  GROUPS,
  HELP_TOPICS,
  ROOT_WORDS,
} from "./command-words.js";
export { complete, type OptionsOf } from "./complete.js";
