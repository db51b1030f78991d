export { sanitizeTerminal } from "./sanitize.js";
