/// <reference types="node" preserve="true" />
export type { Host, TextSink } from "./io/index.js";
export { main } from "./main.js";
