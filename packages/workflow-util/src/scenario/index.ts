export { chooseEntry, entryIndex, withHashes } from "./entry.js";
export { type Parsed, parseScenario } from "./parse.js";
export type { Entry, Scenario } from "./types.js";
