export { extract } from "./extract.js";
export { validateFrontmatter } from "./frontmatter.js";
export type { Extracted, ExtractInput, ValidFrontmatter } from "./types.js";
