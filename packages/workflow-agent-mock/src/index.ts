/// <reference types="node" preserve="true" />
export { mockAgent, play, type Stage } from "./play/index.js";
export { type Entry, type Parsed, parseScenario, type Scenario } from "./scenario/index.js";
