export { ExportFileError } from "./error.js";
export { exportNodes } from "./export.js";
export { importNodes, openExport } from "./import.js";
export type { CheckedExport, ExportEntry, ExportFigures } from "./types.js";
