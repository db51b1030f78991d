export { fillTemplate } from "./fill.js";
