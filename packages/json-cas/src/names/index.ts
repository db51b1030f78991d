export { resolveHash } from "./resolve.js";
export { suggest } from "./suggest.js";
