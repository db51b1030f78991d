export { frozen } from "./freeze.js";
export { authored, type Graph, history, META, stored, to } from "./workflows.js";
