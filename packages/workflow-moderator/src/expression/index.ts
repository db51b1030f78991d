export { bannedIn, bannedSentence, hasRegex } from "./banned.js";
export { EXPRESSION_LIMIT, parseExpression } from "./parse.js";
export { isPlain } from "./plain.js";
export type { Expression } from "./types.js";
export { windowOf } from "./window.js";
