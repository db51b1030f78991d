export { type Once, once } from "./once.js";
