import leven from "leven";

/** The known name nearest to `word`, when it is near enough to be meant; ties go to the first. */
export function suggest(word: string, known: Iterable<string>): string | null {
  // A third of the word may be wrong, but one letter always: `a` for `b` is no help, `rol` for `role` is.
  const allowed = Math.max(1, Math.floor(word.length / 3));
  let best: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const steps = leven(word.toLowerCase(), name.toLowerCase());
    const isNear = steps <= allowed || isSwapped(word, name, steps);
    if (isNear && steps < least && steps < name.length) {
      best = name;
      least = steps;
    }
  }
  return best;
}

/** Two swapped letters are one mistake. */
function isSwapped(word: string, name: string, steps: number): boolean {
  const letters = (text: string): string => [...text.toLowerCase()].sort().join("");
  return steps === 2 && word.length > 3 && letters(word) === letters(name);
}
