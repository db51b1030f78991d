import { matchSequences } from "./sequence.js";

/** What becomes of an item of the old document, or where one of the new document comes from. */
export type Step<T> =
  | { readonly kind: "same" | "changed"; readonly old: T; readonly new: T }
  | { readonly kind: "deleted"; readonly old: T }
  | { readonly kind: "inserted"; readonly new: T };

export type Compared<T> = {
  readonly keyOf: (one: T, isOld: boolean) => string;
  /** From 0, nothing in common, to 1. Only items alike enough become one that has changed. */
  readonly likeness: (old: T, now: T) => number;
};

/** From here on two items are one that has changed. */
const ALIKE = 0.35;

/** Gaps with more pairs than this are compared near their diagonal only. */
const ALL_PAIRS = 40_000;
const BAND = 24;

/** Two sequences of items: equal ones first, then in the gaps between them those that are alike. */
export function align<T>(
  old: readonly T[],
  now: readonly T[],
  { keyOf, likeness }: Compared<T>,
): readonly Step<T>[] {
  return matchSequences(old, now, keyOf).flatMap((match): readonly Step<T>[] =>
    match.kind === "same" ? [match] : pair(match.old, match.new, likeness),
  );
}

/** The pairs that are most alike in all, in their order. */
function pair<T>(
  old: readonly T[],
  now: readonly T[],
  likeness: (old: T, now: T) => number,
): readonly Step<T>[] {
  const [n, m] = [old.length, now.length];
  const isNear = (i: number, j: number): boolean => n * m <= ALL_PAIRS || Math.abs(j - (i * m) / n) <= BAND;
  const width = m + 1;
  if (n * m > ALL_PAIRS * 400) return unpaired(old, now);
  const best = new Float32Array((n + 1) * width);
  const taken = new Uint8Array((n + 1) * width);
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      const skip = Math.max(best[(i + 1) * width + j] ?? 0, best[i * width + j + 1] ?? 0);
      const like = isNear(i, j) ? likeness(old[i] as T, now[j] as T) : 0;
      const take = like >= ALIKE ? like + (best[(i + 1) * width + j + 1] ?? 0) : 0;
      best[i * width + j] = Math.max(skip, take);
      taken[i * width + j] = take > skip ? 1 : 0;
    }
  }
  const steps: Step<T>[] = [];
  let [i, j] = [0, 0];
  while (i < n && j < m) {
    if (taken[i * width + j] === 1) steps.push({ kind: "changed", old: old[i++] as T, new: now[j++] as T });
    else if ((best[(i + 1) * width + j] ?? 0) >= (best[i * width + j + 1] ?? 0))
      steps.push({ kind: "deleted", old: old[i++] as T });
    else steps.push({ kind: "inserted", new: now[j++] as T });
  }
  return [...steps, ...unpaired(old.slice(i), now.slice(j))];
}

function unpaired<T>(old: readonly T[], now: readonly T[]): readonly Step<T>[] {
  return [
    ...old.map((one) => ({ kind: "deleted" as const, old: one })),
    ...now.map((one) => ({ kind: "inserted" as const, new: one })),
  ];
}

/** Dice's coefficient: how much two lists of words have in common. */
export function shared(a: readonly string[], b: readonly string[]): number {
  if (a.length + b.length === 0) return 1;
  const counts = new Map<string, number>();
  for (const word of a) counts.set(word, (counts.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of b) {
    const left = counts.get(word) ?? 0;
    if (left === 0) continue;
    counts.set(word, left - 1);
    common++;
  }
  return (2 * common) / (a.length + b.length);
}
