export { mountCasGroup, StorageFault } from "./mount.js";
