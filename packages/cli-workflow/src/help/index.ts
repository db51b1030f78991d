export { asMan, manCode, manHead } from "./as-man.js";
export { asMarkdown } from "./as-markdown.js";
export { asText } from "./as-text.js";
export { TOPICS } from "./topics.js";
