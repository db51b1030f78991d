import { buildAutomaton } from "./automaton.js";
import { PatternError } from "./error.js";
import { parsePattern } from "./parse.js";
import { runAutomaton } from "./run.js";
import type { Automaton, Pattern } from "./types.js";

/**
 * A regular expression (ECMA-262, flag `u`) that cannot hang. A native RegExp backtracks, and one nested quantifier is
 * enough to stop the process for hours; on bun not even a signal gets through. Throws `PatternError`.
 */
export function compilePattern(source: string): Pattern {
  const automaton = automatonOf(source);
  return {
    test: (text, spend = () => {}) => runAutomaton(automaton, text, spend),
    states: automaton.states.length,
  };
}

function automatonOf(source: string): Automaton {
  try {
    return buildAutomaton(parsePattern(source));
  } catch (error) {
    if (error instanceof RangeError) throw new PatternError("is nested too deep");
    throw error;
  }
}
