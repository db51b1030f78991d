export { processHost } from "./host.js";
export type { Host, Messages, TextSink } from "./types.js";
