export { answerPermission, CANCELLED, rejectChange } from "./decide.js";
export type { Intent, Policy } from "./types.js";
