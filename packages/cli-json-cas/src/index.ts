export { COMMANDS } from "./commands.made.js";
export type { CasCommand, Mount, MountedCommand } from "./define.js";
export { type CasCommandFault, CasInputError, type InputFault } from "./fault.js";
export type { BrokenReference, CasHooks, NamedEntry, NodeReader, Owners } from "./hooks.js";
export type { Answer, AnswerCode, OpenCas, Tools } from "./types.js";
