export { ExportFileError } from "./error.js";
export { exportNodes } from "./export.js";
export { importRoot, type RootFigures } from "./from-root.js";
export { importNodes, openExport } from "./import.js";
export type { CheckedExport, ExportEntry, ExportFigures } from "./types.js";
