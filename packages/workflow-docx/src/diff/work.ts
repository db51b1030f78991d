/**
 * What a comparison may still cost, in steps of its innermost loops. When nothing is left, what is not compared yet is
 * compared by larger pieces: paragraphs that differ are one that is gone and one that has come. So two documents always
 * give the same result, however fast the machine is.
 */
export type Work = { left: number };

/** All that one comparison of two documents may cost. */
export const MOST_WORK = 40_000_000;

/** Elements of both documents that may be gone, come or changed for tracked changes to be made of them. */
export const MOST_MARKED = 600_000;

export function spend(work: Work, steps: number): void {
  work.left -= steps;
}
