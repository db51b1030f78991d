export { inProcess } from "./in-process.js";
export {
  copyWorld,
  type Doc,
  ended,
  MOCK,
  openWorld,
  putTurns,
  type Ran,
  RUNTIMES,
  type RunOptions,
  type Runtime,
  STEPS,
  startThread,
  UWF,
  type World,
} from "./world.js";
