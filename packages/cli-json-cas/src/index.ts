export type { AnswerCode, OpenCas } from "./commands/index.js";
export { type CasCommandFault, CasInputError, type InputFault } from "./fault.js";
export { type CasContext, mountCas, mountTransfer } from "./group.js";
export type { BrokenPlace, CasHooks, NamedEntry, NodeReader, Owners } from "./hooks.js";
