export { CHANGING, dyingAt } from "./crash.js";
export { type Holder, heldBySomebody } from "./holder.js";
export { builtIndex, type Ended, runModule } from "./processes.js";
export { bad, good } from "./results.js";
export { snapshot, tempRoot } from "./temp.js";
export {
  addStep,
  HASH_A,
  HASH_B,
  META,
  startThread,
  THREAD,
  takeThread,
  tempStorage,
  threadAt,
  WORKFLOW,
} from "./world.js";
