export { StorageFault } from "./hooks.js";
export { mountCasGroup, mountThreadTransfer } from "./mount.js";
