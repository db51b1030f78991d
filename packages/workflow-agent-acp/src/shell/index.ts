export { isPlain, readLine } from "./read.js";
export type { Command, Read, Redirect, Separator, Word } from "./types.js";
