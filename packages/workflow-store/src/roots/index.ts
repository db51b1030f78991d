export { oldestLiveRun } from "./busy.js";
export { sweepRootLitter } from "./litter.js";
export { createRootReader, type RootReader } from "./roots.js";
export {
  asThreadEntry,
  type TakenThread,
  type ThreadEntry,
  takeThread,
  threadEntry,
} from "./thread-entry.js";
