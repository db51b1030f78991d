export { processHost } from "./host.js";
export type { Host, TextSink } from "./types.js";
