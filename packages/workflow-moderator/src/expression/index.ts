export {
  bannedIn,
  bannedSentence,
  EXPRESSION_LIMIT,
  type Expression,
  hasRegex,
  parseExpression,
} from "./parse.js";
export { isPlain } from "./plain.js";
export { windowOf } from "./window.js";
