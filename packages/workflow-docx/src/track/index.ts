export { acceptChanges, isTracked, rejectChanges } from "./accept.js";
