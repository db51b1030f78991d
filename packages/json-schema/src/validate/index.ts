export { applicable, type Child, children, furtherChildren } from "./applicators.js";
export { type CustomFormat, FORMAT_NAMES, type Formats } from "./keywords.js";
export {
  createValidator,
  type Scope,
  TooMuchWork,
  type Validator,
  validate,
  violationsOf,
} from "./validate.js";
