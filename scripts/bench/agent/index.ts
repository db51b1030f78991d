export { buildAgent } from "./build.js";
