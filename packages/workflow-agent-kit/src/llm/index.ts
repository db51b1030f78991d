export { configuredExtract } from "./configured.js";
export { realPort } from "./retry.js";
export type { ChatPort } from "./types.js";
