export { type Host, main } from "./main.js";
