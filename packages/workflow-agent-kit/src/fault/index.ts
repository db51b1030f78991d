export { FaultError, orThrow } from "./fault-error.js";
export { renderFault } from "./render.js";
