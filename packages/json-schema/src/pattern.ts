import {
  type Assertion,
  type CharTest,
  PatternError,
  type PatternNode,
  parsePattern,
} from "./pattern-syntax.js";

/** One state of the automaton; `next` and `other` are indices of states. */
type State =
  | { readonly kind: "char"; readonly test: CharTest; readonly next: number }
  | { readonly kind: "assert"; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: "split"; readonly next: number; readonly other: number }
  | { readonly kind: "match" };

type Automaton = { readonly states: readonly State[]; readonly start: number };

/** Counts work; throws to stop it. */
type Spend = (steps?: number) => void;

type Pattern = {
  readonly test: (text: string, spend?: Spend) => boolean;
  /** How many states it takes. */
  readonly states: number;
};

/** Bounded repetitions are written out, so `(a{1000}){1000}` would be a million states. */
const MAX_STATES = 10_000;

/** Thompson's construction, from the end to the front: each part is built knowing the state that follows it. */
function buildAutomaton(pattern: PatternNode): Automaton {
  const states: State[] = [{ kind: "match" }];
  const start = build(pattern, 0, states);
  return { states, start };
}

function build(node: PatternNode, next: number, states: State[]): number {
  switch (node.kind) {
    case "char":
      return push(states, { kind: "char", test: node.test, next });
    case "assert":
      return push(states, { kind: "assert", assertion: node.assertion, next });
    case "sequence":
      return node.nodes.reduceRight((after, part) => build(part, after, states), next);
    case "choice":
      return buildChoice(node.nodes, next, states);
    case "repeat":
      return buildRepeat(node, next, states);
  }
}

function buildChoice(nodes: readonly PatternNode[], next: number, states: State[]): number {
  const starts = nodes.map((node) => build(node, next, states));
  return starts.reduce((other, start) => push(states, { kind: "split", next: other, other: start }));
}

function buildRepeat(node: PatternNode & { kind: "repeat" }, next: number, states: State[]): number {
  let entry = node.max === Infinity ? buildLoop(node.node, next, states) : next;
  const optional = node.max === Infinity ? 0 : node.max - node.min;
  for (let round = 0; round < optional; round += 1) {
    entry = push(states, { kind: "split", next: build(node.node, entry, states), other: next });
  }
  for (let round = 0; round < node.min; round += 1) {
    const earlier = build(node.node, entry, states);
    // Something empty: a billion times nothing is nothing.
    if (earlier === entry) break;
    entry = earlier;
  }
  return entry;
}

function buildLoop(body: PatternNode, next: number, states: State[]): number {
  const loop = push(states, { kind: "match" });
  states[loop] = { kind: "split", next: build(body, loop, states), other: next };
  return loop;
}

function push(states: State[], state: State): number {
  if (states.length >= MAX_STATES) throw new PatternError("repeats too much to be matched in bounded memory");
  states.push(state);
  return states.length - 1;
}

const WORD = /^\w$/u;

/** A set of states that empties in no time: a state is in it when its mark is the current one. */
type StateSet = { readonly members: number[]; readonly marks: Int32Array; mark: number };

/** States that are looked at, or made room for, in one step of work. */
const STATES_PER_STEP = 8;

/** Characters between two looks at the work that was done. */
const STRETCH = 64;

/** Does the pattern match anywhere in the text? Time is bounded by characters × states, whatever the pattern. */
function runAutomaton(automaton: Automaton, text: string, spend: Spend): boolean {
  spend(1 + Math.floor(automaton.states.length / STATES_PER_STEP));
  let looked = 0;
  let stretch = 0;
  let reached = newSet(automaton);
  let next = newSet(automaton);
  let before = "";
  for (const char of text) {
    // A match may begin at every character.
    if (close(automaton, reached, before, char)) return true;
    advance(automaton, reached, next, char);
    [reached, next] = [next, reached];
    before = char;
    looked += next.members.length;
    stretch += 1;
    if (stretch < STRETCH) continue;
    spend(1 + Math.floor(looked / STATES_PER_STEP));
    looked = 0;
    stretch = 0;
  }
  spend(Math.floor((looked + reached.members.length) / STATES_PER_STEP));
  return close(automaton, reached, before, "");
}

/** Adds the start and everything reachable without consuming a character; true when that includes a match. */
function close(automaton: Automaton, set: StateSet, before: string, after: string): boolean {
  add(set, automaton.start);
  for (let index = 0; index < set.members.length; index += 1) {
    const state = automaton.states[set.members[index] ?? 0];
    if (state === undefined || state.kind === "char") continue;
    if (state.kind === "match") return true;
    if (state.kind === "assert" && !holds(state.assertion, before, after)) continue;
    add(set, state.next);
    if (state.kind === "split") add(set, state.other);
  }
  return false;
}

function advance(automaton: Automaton, from: StateSet, to: StateSet, char: string): void {
  to.members.length = 0;
  to.mark += 1;
  for (const index of from.members) {
    const state = automaton.states[index];
    if (state?.kind === "char" && state.test(char)) add(to, state.next);
  }
}

function holds(assertion: Assertion, before: string, after: string): boolean {
  switch (assertion) {
    case "start":
      return before === "";
    case "end":
      return after === "";
    case "boundary":
      return WORD.test(before) !== WORD.test(after);
    case "no-boundary":
      return WORD.test(before) === WORD.test(after);
  }
}

function newSet(automaton: Automaton): StateSet {
  return { members: [], marks: new Int32Array(automaton.states.length), mark: 1 };
}

function add(set: StateSet, state: number): void {
  if (set.marks[state] === set.mark) return;
  set.marks[state] = set.mark;
  set.members.push(state);
}

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
