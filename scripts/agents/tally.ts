import { isDeepStrictEqual } from "node:util";

/** Counts what was checked, and tells each check on stderr. */
export type Tally = {
  readonly passed: () => number;
  readonly failed: () => number;
  readonly holds: (sentence: string, truth: boolean, otherwise: string) => void;
  readonly equal: (sentence: string, got: unknown, expected: unknown) => void;
  /** Counts what another one has counted. */
  readonly add: (other: Tally) => void;
};

export function newTally(): Tally {
  let passed = 0;
  let failed = 0;
  const holds = (sentence: string, truth: boolean, otherwise: string): void => {
    if (truth) passed += 1;
    else failed += 1;
    console.error(truth ? `  ok    ${sentence}` : `  FAIL  ${sentence}: ${otherwise}`);
  };
  return {
    passed: () => passed,
    failed: () => failed,
    holds,
    equal: (sentence, got, expected) => {
      const otherwise = `expected ${JSON.stringify(expected)}, got ${JSON.stringify(got)}`;
      holds(sentence, isDeepStrictEqual(got, expected), otherwise);
    },
    add: (other) => {
      passed += other.passed();
      failed += other.failed();
    },
  };
}
