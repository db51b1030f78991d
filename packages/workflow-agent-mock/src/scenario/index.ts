export { type Parsed, parseScenario } from "./parse.js";
export type { Entry, Scenario, Tokens } from "./types.js";
