export { office } from "./agent.js";
export type { Port } from "./options.js";
export { check, HELP, USAGE } from "./options.js";
