/** @import { RE2JS } from "re2js" */
/** @import { RegexEngine, RegExpLike } from "./types.js" */

/**
 * The part of the package re2js that is used: a linear-time engine.
 *
 * @typedef {{
 *   readonly translateRegExp: (regex: RegExp) => string,
 *   readonly compile: (pattern: string) => RE2JS,
 * }} Re2
 */

/**
 * A regex engine for jsonata whose time is linear in the text for every pattern. Its constructor throws a `RangeError`
 * with a sentence for an unsupported pattern. jsonata constructs the same regex again for every step of a history, so
 * compiled patterns are kept.
 *
 * @param {Re2} re2
 * @returns {RegexEngine}
 */
export function linearRegexEngine(re2) {
  /** @type {WeakMap<RegExp, RE2JS | string>} */
  const known = new WeakMap();
  /** @param {RegExp} regex */
  const compile = (regex) => {
    const there = known.get(regex);
    const compiled = there ?? compileLinear(re2, regex);
    if (there === undefined && regex instanceof RegExp) known.set(regex, compiled);
    return compiled;
  };
  /**
   * @param {RegExp} regex
   * @returns {{ lastIndex: number, exec: (text: string) => RegExpLike }}
   */
  function Linear(regex) {
    const compiled = compile(regex);
    if (typeof compiled === "string") throw new RangeError(compiled);
    const state = {
      lastIndex: 0,
      /** @type {(text: string) => RegExpLike} */
      exec: (text) => {
        const match = matchFrom(compiled, text, state.lastIndex);
        state.lastIndex = match === null ? 0 : match.index + (match[0] ?? "").length;
        return match;
      },
    };
    return state;
  }
  return /** @type {RegexEngine} */ (/** @type {unknown} */ (Linear));
}

/**
 * @param {RE2JS} compiled
 * @param {string} text
 * @param {number} from
 * @returns {RegExpLike}
 */
function matchFrom(compiled, text, from) {
  if (from > text.length) return null;
  const matcher = compiled.matcher(text);
  if (!matcher.find(from)) return null;
  const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, i) => matcher.group(i) ?? undefined);
  return Object.assign(groups, { index: matcher.start() });
}

/**
 * The compiled pattern, or a sentence that says why it is refused.
 *
 * @param {Re2} re2
 * @param {unknown} regex
 * @returns {RE2JS | string}
 */
export function compileLinear(re2, regex) {
  // jsonata copies the left side of ?? and ?: as JSON, which loses a regex.
  if (!(regex instanceof RegExp)) return "a regex cannot be used on the left side of ?? or ?:";
  if (NAMED_REFERENCE.test(regex.source)) return refused(regex, BACK_REFERENCES);
  try {
    return re2.compile(re2.translateRegExp(regex));
  } catch (error) {
    return refused(regex, refusalOf(regex.source, error));
  }
}

const LOOKAROUND = "lookahead and lookbehind cannot be matched in bounded time";
const BACK_REFERENCES = "back-references cannot be matched in bounded time";

/** `\k<name>`, which the translation would take for the letter k. */
const NAMED_REFERENCE = /(?:^|[^\\])(?:\\\\)*\\k</;

/**
 * @param {RegExp} regex
 * @param {string} reason
 * @returns {string}
 */
function refused(regex, reason) {
  return `the regex /${regex.source}/${regex.flags.replace("g", "")} is refused: ${reason}`;
}

/**
 * @param {string} source
 * @param {unknown} error
 * @returns {string}
 */
function refusalOf(source, error) {
  if (/\(\?<?[=!]/.test(source)) return LOOKAROUND;
  if (/\\[1-9]/.test(source)) return BACK_REFERENCES;
  return error instanceof Error ? error.message : String(error);
}
