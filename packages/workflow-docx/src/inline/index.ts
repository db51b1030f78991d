export { type Atom, textAtom } from "./atom.js";
export { buildInline, buildRuns, groupsOf, textElement } from "./build.js";
export { boldOf, formatKey } from "./format.js";
export { isPartOfField, readParagraph } from "./read.js";
export { type InlineStyle, parseRich, type Rich, richAtoms } from "./rich.js";
export { textOf } from "./text.js";
export { wordsOf } from "./words.js";
