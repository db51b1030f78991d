export { COMMANDS } from "./commands.made.js";
export type {
  Answer,
  AnswerCode,
  BrokenReference,
  CasCommand,
  CasHooks,
  Mount,
  MountedCommand,
  NamedEntry,
  NodeReader,
  OpenCas,
  Owners,
  Tools,
} from "./define.js";
export { type CasCommandFault, CasInputError, type InputFault } from "./fault.js";
