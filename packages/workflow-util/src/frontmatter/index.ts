export { findFrontmatter, frontmatterSentence } from "./find.js";
export { parseFrontmatterBlock, parseFrontmatterMarkdown } from "./parse.js";
export type { Frontmatter, FrontmatterBlock, FrontmatterProblem } from "./types.js";
