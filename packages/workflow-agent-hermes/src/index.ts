export { hermesAgent, type Port } from "./agent/index.js";
export { errorMark, sessionIdIn, textIn } from "./output/index.js";
export { type HermesSession, parseSession } from "./session/index.js";
