/// <reference types="node" preserve="true" />
export { exec } from "./agent.js";
export type { Port } from "./command.js";
export { parseWords, type Words } from "./words.js";
