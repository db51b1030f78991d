export { commandLine, programOf } from "./command-line.js";
export { shellWord } from "./shell-word.js";
