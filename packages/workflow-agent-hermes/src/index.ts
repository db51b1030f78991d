export { hermesAgent, type Port } from "./agent.js";
export { errorMark, sessionIdIn, textIn } from "./output.js";
export { type HermesSession, parseSession } from "./session.js";
