export { LIMITS } from "./limits.js";
