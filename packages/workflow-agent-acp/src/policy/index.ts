export { answerPermission, CANCELLED, type Intent, type Policy, rejectChange } from "./decide.js";
