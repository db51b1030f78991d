export { power, powerWith } from "./power.js";
