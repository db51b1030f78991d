export { createDocument, type NewBlock } from "./create/index.js";
export {
  type Author,
  type BlockChange,
  type Difference,
  diffDocuments,
  markedText,
  type OtherChange,
  type TextPiece,
} from "./diff/index.js";
export { type Document, openDocument, saveDocument } from "./document.js";
export { type Edit, editDocument } from "./edit/index.js";
export {
  DOCX_EXIT_CODE,
  DOCX_FAULTS,
  type DocxCode,
  type DocxFault,
  docxFault,
  docxHint,
  docxMessage,
} from "./fault.js";
export { fillTemplate } from "./fill.js";
export { DOCX_MAX_BYTES } from "./limits.js";
export { type Outline, type OutlineBlock, outlineOf } from "./outline.js";
export {
  type DifferenceLine,
  differenceHtml,
  differenceLines,
  differenceSummary,
  differenceText,
  type Names,
  type TextLimits,
} from "./show.js";
export { acceptChanges, rejectChanges } from "./track.js";
