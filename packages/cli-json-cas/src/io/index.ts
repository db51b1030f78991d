export { fileSink } from "./sink.js";
export type { Host } from "./types.js";
