export { documentWith } from "./document.js";
export { machine, runtimes } from "./machine.js";
export { linesOf } from "./text.js";
