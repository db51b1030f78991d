export { type Parsed, parseScenario } from "./parse.js";
export type { Entry, Scenario } from "./types.js";
