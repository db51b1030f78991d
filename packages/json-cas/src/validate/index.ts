export { applicable, children, furtherChildren } from "./applicators.js";
export { FORMAT_NAMES } from "./keywords.js";
export { createValidator, type Scope, TooMuchWork, type Validator } from "./scope.js";
export { validatePayload, violationsOf } from "./validate.js";
