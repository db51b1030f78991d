export { asText } from "./as-text.js";
export { SKILL_PARTS, skillText } from "./skill.js";
export { TOPICS } from "./topics.js";
export { code, list, section } from "./types.js";
