/// <reference types="node" preserve="true" />
export { type Entry, type Parsed, parseScenario, type Scenario } from "@uncaged/workflow-util";
export { mockAgent, play, type Stage } from "./play.js";
