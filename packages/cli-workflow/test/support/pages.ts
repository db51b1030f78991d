import { EXITS } from "../../src/help/exits.js";
import { SAMPLES, type Sample } from "../../src/help/samples.js";
import { WORDS } from "../../src/words.made.js";

// What the pages of help say, of commands that are definitions and of those that are not yet.

/** Exit codes beside those of every command, by command. */
export const PAGE_EXITS: Readonly<Record<string, readonly number[]>> = {
  ...EXITS,
  ...Object.fromEntries(Object.values(WORDS).map(({ path, exitCodes }) => [path, exitCodes])),
};

/** Samples of output by command. */
export const PAGE_SAMPLES: Readonly<Record<string, Sample>> = {
  ...SAMPLES,
  ...Object.fromEntries(
    Object.values(WORDS).flatMap(({ path, sample }) =>
      sample === null ? [] : [[path, { command: sample.line, prints: sample.prints }]],
    ),
  ),
};
