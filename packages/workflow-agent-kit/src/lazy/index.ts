export { loadLlm } from "./llm.js";
