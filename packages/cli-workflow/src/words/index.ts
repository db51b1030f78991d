export { splitWords } from "./words.js";
