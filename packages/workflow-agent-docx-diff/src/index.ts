export { type Host, main } from "./tool/index.js";
