export { llmMain } from "./main.js";
