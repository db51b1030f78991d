export { asText } from "./as-text.js";
export { completeHelp } from "./complete.js";
export { SKILL_PARTS, skillText } from "./skill.js";
export { TOPICS } from "./topics.js";
