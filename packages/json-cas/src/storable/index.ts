export { checkStorable, copyWithin, freezeCopy, MAX_DEPTH, setOwn } from "./copy.js";
export { escapeSegment, pointer } from "./pointer.js";
