export { type BuiltStore, buildStore, type Condition, type StoreSpec } from "./build.js";
