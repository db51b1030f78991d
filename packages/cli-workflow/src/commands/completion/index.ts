export { complete } from "./complete.js";
export { COMPLETE, GROUPS, ROOT_WORDS } from "./words.js";
