export { StorageFault } from "./fault.js";
export { mountCasGroup } from "./mount.js";
