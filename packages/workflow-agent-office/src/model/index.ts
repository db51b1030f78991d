export { officeAgent } from "./main.js";
