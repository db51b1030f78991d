export { sanitizeTerminal } from "./sanitize.js";
export { sanitizeStream } from "./stream.js";
