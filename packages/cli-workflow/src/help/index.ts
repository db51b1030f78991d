export { asText } from "./renderings.js";
export { SKILL_PARTS, skillText } from "./skill.js";
export { TOPICS } from "./topics.js";
