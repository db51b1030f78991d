import leven from "leven";

/** The known name nearest to `word`, when it is near enough to be meant; ties go to the first. */
export function suggest(word: string, known: Iterable<string>): string | null {
  // A third of the word may be wrong, but one letter always: `a` for `b` is no help, `rol` for `role` is.
  const allowed = Math.max(1, Math.floor(word.length / 3));
  let best: string | null = null;
  let least = allowed + 1;
  for (const name of known) {
    const steps = leven(word.toLowerCase(), name.toLowerCase());
    if (steps < least && steps < name.length) {
      best = name;
      least = steps;
    }
  }
  return best;
}
