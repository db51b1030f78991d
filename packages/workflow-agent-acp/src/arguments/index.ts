export { HELP, isKind, parseArguments, USAGE } from "./parse.js";
export { KINDS, type Kind, type Options, type Parsed } from "./types.js";
