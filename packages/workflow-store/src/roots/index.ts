export { sweepRootLitter } from "./litter.js";
export { createRootReader, oldestLiveRun, type RootReader } from "./roots.js";
export {
  asThreadEntry,
  entryOutput,
  type TakenThread,
  type ThreadEntry,
  takeThread,
  threadEntry,
} from "./thread-entry.js";
