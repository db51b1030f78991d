export { complete } from "./complete.js";
export { GROUPS, ROOT_WORDS } from "./words.js";
