export { sweepRootLitter } from "./litter.js";
export { placeOfRoot } from "./root-place.js";
export { createRootReader, oldestLiveRun, type RootReader } from "./roots.js";
export {
  asThreadEntry,
  entryOutput,
  type TakenThread,
  type ThreadEntry,
  takeThreads,
  threadEntry,
} from "./thread-entry.js";
