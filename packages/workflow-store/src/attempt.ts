import { CasError } from "@uncaged/json-cas";
import { err, type Fault, fromCasFault, ok, type Result } from "@uncaged/workflow-protocol";

// The seam between the two ways to fail: the node store throws `CasError`, everything from here upward
// returns a `Fault`. What is neither is a bug and keeps flying.

/** Runs `work`; an expected failure of the node store becomes a fault. */
export function attempt<T>(work: () => T): Result<T, Fault> {
  try {
    return ok(work());
  } catch (error) {
    return err(expected(error));
  }
}

/** `attempt` for work that is awaited. */
export async function attemptAsync<T>(work: () => Promise<T>): Promise<Result<T, Fault>> {
  try {
    return ok(await work());
  } catch (error) {
    return err(expected(error));
  }
}

/** The sentence of an expected failure; anything else is thrown on. */
export function refusal(error: unknown): string {
  if (error instanceof CasError) return error.message;
  throw error;
}

function expected(error: unknown): Fault {
  if (error instanceof CasError) return fromCasFault(error.fault);
  throw error;
}
