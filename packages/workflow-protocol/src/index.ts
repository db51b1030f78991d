export { err, isObject, ok, type Result, suggest } from "@uncaged/json-cas";
// Everything but a fault's inside: what a file exports, other packages may use.
export * from "./command.js";
export * from "./environment.js";
export * from "./events.js";
export * from "./faults/index.js";
export * from "./held.js";
export * from "./ids.js";
export * from "./limits.js";
export * from "./nodes.js";
export type * from "./outputs.js";
export * from "./spending.js";
export * from "./usage.js";
export * from "./wire.js";
export * from "./workflow.js";
