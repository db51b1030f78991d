/// <reference types="node" preserve="true" />
export { llmAgent, type Port } from "./agent.js";
