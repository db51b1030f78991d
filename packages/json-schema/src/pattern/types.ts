/** Tests one code point. */
export type CharTest = (char: string) => boolean;

export type Assertion = "start" | "end" | "boundary" | "no-boundary";

/** The part of an ECMA-262 pattern that a finite automaton can match. */
export type PatternNode =
  | { readonly kind: "char"; readonly test: CharTest }
  | { readonly kind: "assert"; readonly assertion: Assertion }
  | { readonly kind: "sequence"; readonly nodes: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly nodes: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly node: PatternNode; readonly min: number; readonly max: number };

/** One state of the automaton; `next` and `other` are indices of states. */
export type State =
  | { readonly kind: "char"; readonly test: CharTest; readonly next: number }
  | { readonly kind: "assert"; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: "split"; readonly next: number; readonly other: number }
  | { readonly kind: "match" };

export type Automaton = { readonly states: readonly State[]; readonly start: number };

/** Counts work; throws to stop it. */
export type Spend = (steps?: number) => void;

export type Pattern = {
  readonly test: (text: string, spend?: Spend) => boolean;
  /** How many states it takes. */
  readonly states: number;
};
