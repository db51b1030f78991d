import type { Fault } from "./types.js";

/** What uwf knows about a failed run beyond the failure itself; it stands in `data`. */
export type RunFacts = {
  /** How many runs the step took, by retries. */
  readonly attempts: number;
  /** The end of what the agent wrote to stderr. */
  readonly stderr: string;
};

/** The failure of an agent's run, told by the uwf that started it: the first and only one, as far as is known. */
export function ofRun(failure: Fault, stderr: string): Fault & RunFacts {
  return { ...failure, attempts: 1, stderr };
}

/** The failure of the last of so many runs. */
export function afterAttempts(failure: Fault, attempts: number): Fault {
  const counted = { ...failure, attempts };
  return "attempts" in failure ? counted : failure;
}

/** The end of the sentence where retries came before; "" otherwise. */
export function lastAttempt(failure: Fault): string {
  const attempts = "attempts" in failure ? failure.attempts : 1;
  return typeof attempts === "number" && attempts > 1 ? `; that was the last of ${attempts} attempts` : "";
}
