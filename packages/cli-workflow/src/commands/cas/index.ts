export { StorageFault } from "./hooks.js";
export { MOUNTED } from "./mount.js";
