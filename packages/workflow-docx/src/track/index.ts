export { acceptChanges, isTracked, rejectChanges } from "./accept.js";
export { settle } from "./settle.js";
