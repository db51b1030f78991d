export { FaultError, orThrow } from "./fault-error.js";
export { renderFault } from "./render.js";
export { whyOf } from "./why-of.js";
