export type { BlockChange } from "./diff.js";
export { type Difference, diffDocuments } from "./diff.js";
export type { Author } from "./mark.js";
export type { OtherChange } from "./others.js";
export { markedText, type TextPiece } from "./paragraph.js";
