export { parseSince } from "./since.js";
