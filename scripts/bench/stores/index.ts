export { type BuiltStore, buildStore, type Condition, type StoreSpec } from "./build.js";
export { type Disk, exportBuilt, packBuilt, traceOf } from "./packed.js";
export { type BuiltMap, type BuiltWaiting, buildMap, buildWaiting } from "./waiting.js";
