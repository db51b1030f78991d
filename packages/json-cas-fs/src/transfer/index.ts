export { ExportFileError } from "./check.js";
export { exportNodes } from "./export.js";
export { importNodes, importRoot, isAllThere, openExport, type RootFigures } from "./import.js";
export type { CheckedExport, ExportEntry, ExportFigures } from "./types.js";
