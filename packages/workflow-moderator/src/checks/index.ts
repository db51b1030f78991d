export { type Checks, loadChecks } from "./load.js";
