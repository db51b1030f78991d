export { sessionTurns } from "./session-turns.js";
