export { type Known, type Options, readOptions } from "./read.js";
