export { AUTHOR, type Move, openEndpoint, SAY, saying } from "./actors.js";
export { hostile } from "./hostile.js";
export { mannersOf, rawControl } from "./manners.js";
