/// <reference types="node" preserve="true" />
export type { Host, TextSink } from "./io.js";
export { main } from "./main.js";
