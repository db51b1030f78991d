export { findFrontmatter, frontmatterSentence } from "./find.js";
export { parseFields } from "./parse.js";
export { parseFrontmatterMarkdown, readHeader } from "./read.js";
export type { Frontmatter, FrontmatterBlock } from "./types.js";
