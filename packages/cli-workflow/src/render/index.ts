export { escapeControls } from "./controls.js";
export { renderDocument } from "./document.js";
export { errorFormatOf } from "./error-format.js";
export { renderFault } from "./fault.js";
export { type ItemRenderer, linesRenderer, listRenderer } from "./items.js";
export { type ListMember, memberRenderer } from "./members.js";
export type { ErrorFormat, Format } from "./types.js";
