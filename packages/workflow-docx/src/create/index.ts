export { createDocument } from "./create.js";
export type { NewBlock } from "./parse.js";
