export { StorageFault } from "./hooks.js";
export { mountCasGroup } from "./mount.js";
