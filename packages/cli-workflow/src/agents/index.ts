export { agentsOnPath } from "./on-path.js";
