export { sweepRootLitter } from "./litter.js";
export { placeOfRoot } from "./root-place.js";
export { createRootReader, oldestLiveRun } from "./roots.js";
export {
  admitThreads,
  asThreadEntry,
  entryOutput,
  type TakenThread,
  type ThreadEntry,
  threadEntry,
} from "./thread-entry.js";
