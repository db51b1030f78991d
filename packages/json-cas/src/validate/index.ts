export { applicable, type Child, children, furtherChildren } from "./applicable.js";
export { FORMAT_NAMES } from "./formats.js";
export { createValidator, type Scope, TooMuchWork, type Validator } from "./scope.js";
export { validatePayload, violationsOf } from "./validate.js";
