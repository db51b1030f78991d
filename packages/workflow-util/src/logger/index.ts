export { createLogger } from "./logger.js";
export type { Log, LoggerOptions } from "./types.js";
