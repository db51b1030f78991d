export { hermes } from "./hermes.js";
export { type HermesSession, parseSession } from "./session.js";
