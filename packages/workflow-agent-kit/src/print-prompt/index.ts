export { runPrompt } from "./command.js";
