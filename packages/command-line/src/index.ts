export {
  type Arguments,
  type Command,
  commandDefiner,
  type Definition,
  type Options,
  type Request,
  type Sample,
  type Words,
} from "./command.js";
export { BadUsage, type Group, optionName, type Program, parserForAll } from "./commander.js";
export {
  amount,
  BadValue,
  type Candidates,
  choice,
  type Kind,
  orNone,
  period,
  text,
  wholeNumber,
} from "./kinds.js";
export { findPath, type ParsedLine, parseLine, sentenceOf } from "./line.js";
export {
  type Argument,
  any,
  argument,
  bound,
  flag,
  list,
  needed,
  type Option,
  option,
  optional,
  some,
  unless,
  usually,
} from "./parts.js";
