export { isEpochMs, isReason, parseRecord } from "./record.js";
