export type { AnswerCode, OpenCas } from "./commands/index.js";
export { type CasCommandFault, CasInputError, type InputFault } from "./fault/index.js";
export { type CasContext, mountCas } from "./group/index.js";
export type { BrokenPlace, CasHooks, NamedEntry, NodeReader, Owners } from "./hooks/index.js";
