export { editDocument } from "./edit.js";
export type { Edit } from "./parse.js";
