export { chooseEntry, entryIndex, withHashes } from "./entry.js";
export {
  ENTRY,
  type Entry,
  type Parsed,
  parseScenario,
  plainEntry,
  SCENARIO,
  type Scenario,
} from "./parse.js";
