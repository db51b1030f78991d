export { type Frontmatter, type FrontmatterBlock, findFrontmatter, frontmatterSentence } from "./find.js";
export { parseFields, repeatsOutput } from "./parse.js";
export { parseFrontmatterMarkdown, readHeader } from "./read.js";
