export { attempt, attemptAsync, refusal } from "./attempt.js";
