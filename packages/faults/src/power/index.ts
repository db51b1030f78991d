export { type PowerOptions, power, powerWith } from "./power.js";
