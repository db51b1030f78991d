export { type Answered, answerPermission, rejectChange } from "./answer.js";
export { CANCELLED } from "./choose.js";
export type { Intent, Policy } from "./types.js";
