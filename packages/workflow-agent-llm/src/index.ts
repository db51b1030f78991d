export { llmAgent, type Port } from "./agent/index.js";
