import { WORDS } from "../../src/words.made.js";

/** Exit codes beside those of every command, by command. */
export const PAGE_EXITS: Readonly<Record<string, readonly number[]>> = Object.fromEntries(
  Object.values(WORDS).map(({ path, exitCodes }) => [path, exitCodes]),
);

/** Samples of output by command. */
export const PAGE_SAMPLES = Object.fromEntries(
  Object.values(WORDS).flatMap(({ path, sample }) => (sample === null ? [] : [[path, sample] as const])),
);
