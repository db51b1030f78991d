/// <reference types="node" preserve="true" />
export { docxDiff, type Port } from "./agent/index.js";
