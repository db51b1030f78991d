export { tableOf } from "./table.js";
export type { BenchReport, RuntimeReport } from "./types.js";
