export { type Answered, answerPermission } from "./answer.js";
export { CANCELLED } from "./choose.js";
export type { Policy } from "./types.js";
