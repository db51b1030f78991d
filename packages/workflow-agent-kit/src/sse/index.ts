export { createBody } from "./body.js";
