export { readOptionalText, readText } from "./read.js";
