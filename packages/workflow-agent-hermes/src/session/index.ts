export { parseSession } from "./gate.js";
export { finalText, turnsOf } from "./turns.js";
export type { HermesMessage, HermesSession, HermesToolCall, Totals } from "./types.js";
export { addTotals, NOTHING_USED, usageBetween } from "./usage.js";
