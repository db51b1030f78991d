export { sumOf } from "./sum.js";
export { renderUsage } from "./table.js";
