/// <reference types="node" preserve="true" />
export { exec } from "./agent/index.js";
export type { Port } from "./command/index.js";
export { type Parsed, parseWords, type Words } from "./words/index.js";
