import leven from "leven";

/** The known name nearest to `word`, when at most a third of the word is wrong (one letter always). */
export function suggest(word: string, known: Iterable<string>): string | null {
  const allowed = Math.max(1, Math.floor(word.length / 3));
  const near = [...known]
    .map((name) => ({ name, steps: leven(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, steps }) => (steps <= allowed || isSwapped(word, name, steps)) && steps < name.length);
  return near.toSorted((a, b) => a.steps - b.steps)[0]?.name ?? null;
}

/** Two letters that changed places are one mistake. */
function isSwapped(word: string, name: string, steps: number): boolean {
  const letters = (text: string): string => [...text.toLowerCase()].sort().join("");
  return steps === 2 && word.length > 3 && letters(word) === letters(name);
}
