export { GROUPS, ROOT_WORDS } from "./words.js";
