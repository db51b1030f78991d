/// <reference types="node" preserve="true" />
export { mockAgent, play, type Stage } from "./play.js";
export { type Entry, type Parsed, parseScenario, type Scenario } from "./scenario.js";
