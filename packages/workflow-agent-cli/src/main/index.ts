export { checkMain, cliAgentMain } from "./main.js";
export { processPlace, processPort } from "./process-port.js";
