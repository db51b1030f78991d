import fc from "fast-check";
import { prototypeMarks } from "./prototypes.js";
import type { Batch } from "./types.js";

/** Only what is slow again and again counts. */
const RETRIES = 3;

/** So much of a counterexample is told. */
const EVIDENCE_CHARACTERS = 1_500;

/** One case: throws, with a sentence, when a promise is broken. */
export type Attempt<Input> = (input: Input) => unknown;

/** Cases drawn from `inputs`; each within the time, and after each the prototypes are as they were. */
export function batchOf<Input>(inputs: fc.Arbitrary<Input>, slowMs: number, attempt: Attempt<Input>): Batch {
  return async (seed, cases) => {
    let slowestMs = 0;
    const marks = prototypeMarks();
    const property = fc.asyncProperty(inputs, async (input) => {
      const ms = await timed(attempt, input, slowMs);
      slowestMs = Math.max(slowestMs, ms);
      const changed = marks.changed();
      if (changed !== null) throw new Error(changed);
    });
    const details = await fc.check(property, { seed, numRuns: cases });
    const failure = details.failed ? evidence(details) : null;
    return { cases: details.numRuns, slowestMs: Math.round(slowestMs), failure };
  };
}

/** Gives the processor time in ms, the best of several where the first was too long. */
async function timed<Input>(attempt: Attempt<Input>, input: Input, slowMs: number): Promise<number> {
  let best = await once(attempt, input);
  for (let retry = 0; best > slowMs && retry < RETRIES; retry += 1) {
    best = Math.min(best, await once(attempt, input));
  }
  if (best > slowMs)
    throw new Error(`it takes ${Math.round(best)} ms, ${RETRIES + 1} times out of ${RETRIES + 1}`);
  return best;
}

async function once<Input>(attempt: Attempt<Input>, input: Input): Promise<number> {
  // Processor time: how busy the machine is with other things is no fault of the case.
  const before = process.cpuUsage();
  await attempt(input);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function evidence<Input>({ seed, counterexample, errorInstance }: fc.RunDetails<Input>): string {
  const cause = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return `${shortened(cause)}\nseed ${seed}: ${shortened(fc.stringify(counterexample))}`;
}

function shortened(text: string): string {
  return text.length > EVIDENCE_CHARACTERS ? `${text.slice(0, EVIDENCE_CHARACTERS)}…` : text;
}
