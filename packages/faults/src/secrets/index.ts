export { leaksIn, leaksInText } from "./search.js";
export { secrets } from "./secrets.js";
