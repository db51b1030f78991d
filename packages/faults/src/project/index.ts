export { project } from "./project.js";
export { ownedBy, plantOn, TRAPS, type Trap } from "./traps.js";
