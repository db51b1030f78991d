export { findFrontmatter, frontmatterSentence } from "./find.js";
export type { Fields } from "./names.js";
export { parseFields } from "./parse.js";
export { parseFrontmatterMarkdown, readHeader } from "./read.js";
export type { Frontmatter, FrontmatterBlock, FrontmatterProblem } from "./types.js";
