import type { Words } from "@uncaged/command-line";
import type { ExitCode } from "@uncaged/workflow-protocol";

/** Every command may end with these: done, a bug, bad usage, damage, I/O. */
export const COMMON_EXITS: readonly ExitCode[] = [0, 1, 2, 7, 74];

/**
 * The words of a command with what only its page of help has: a sample of its output, and its exit codes in
 * addition to the common ones.
 */
export function pageOf(words: Words, exitCodes: readonly number[]): Words {
  const sample = sampleText(words);
  const parts = [
    ...(words.notes === "" ? [] : [words.notes]),
    ...(sample === "" ? [] : [`Output:\n${sample.replace(/^(?=.)/gm, "  ")}`]),
    ...(exitCodes.length === 0
      ? []
      : [
          `Exit codes: ${[...COMMON_EXITS, ...exitCodes].sort((a, b) => a - b).join(", ")}; see uwf help exit-codes`,
        ]),
  ];
  return { ...words, notes: parts.join("\n\n").replace(/\n{3}/g, "\n\n") };
}

/** The sample's command and what it prints; empty without one. */
export function sampleText({ sample }: Pick<Words, "sample">): string {
  return sample === null ? "" : `$ uwf ${sample.line}\n${sample.prints}\n`;
}
