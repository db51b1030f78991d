import leven from "leven";

/** The known name nearest to `word`, when at most a third of the word is wrong (one letter always). */
export function suggest(word: string, known: Iterable<string>): string | null {
  const allowed = Math.max(1, Math.floor(word.length / 3));
  const near = [...known]
    .map((name) => ({ name, steps: leven(word.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, steps }) => steps <= allowed && steps < name.length);
  return near.toSorted((a, b) => a.steps - b.steps)[0]?.name ?? null;
}
