import { longestRise, matchSequences } from "./sequence.js";
import { spend, type Work } from "./work.js";

/** What becomes of an item of the old document, or where one of the new document comes from. */
export type Step<T> =
  | { readonly kind: "same" | "changed"; readonly old: T; readonly new: T }
  | { readonly kind: "deleted"; readonly old: T }
  | { readonly kind: "inserted"; readonly new: T };

export type Compared<T> = {
  readonly keyOf: (one: T, isOld: boolean) => string;
  /** From 0, nothing in common, to 1. Only items alike enough become one that has changed. */
  readonly likeness: (old: T, now: T) => number;
  /** Numbers of which two items that are alike share some. */
  readonly sketchOf: (one: T) => readonly number[];
  readonly work: Work;
};

/** From here on two items are one that has changed. */
const ALIKE = 0.35;

/** Gaps with more pairs than this are first cut where two items share most of their sketches. */
const FEW_PAIRS = 400;
/** Gaps that still have more pairs have nothing in common. */
const ALL_PAIRS = 40_000;

/** What it costs to look at two items, beside their words. */
const PAIR = 20;
/** What it costs to read the words of an item. */
const READ = 200;

/** So many items have a number of a sketch at most for it to say something. */
const RARE = 4;

/** Two sequences of items: equal ones first, then in the gaps between them those that are alike. */
export function align<T>(old: readonly T[], now: readonly T[], compared: Compared<T>): readonly Step<T>[] {
  return matchSequences(old, now, compared.keyOf, compared.work).flatMap((match): readonly Step<T>[] =>
    match.kind === "same" ? [match] : alignGap(match.old, match.new, compared),
  );
}

/** Items that all differ. */
function alignGap<T>(old: readonly T[], now: readonly T[], compared: Compared<T>): readonly Step<T>[] {
  if (old.length * now.length <= FEW_PAIRS) return pair(old, now, compared);
  spend(compared.work, READ * (old.length + now.length));
  if (compared.work.left <= 0) return unpaired(old, now);
  const steps: Step<T>[] = [];
  let [i, j] = [0, 0];
  for (const [x, y] of [...likePairs(old, now, compared), [old.length, now.length] as const]) {
    const [before, after] = [old.slice(i, x), now.slice(j, y)];
    const isFew = before.length * after.length <= ALL_PAIRS;
    for (const step of isFew ? pair(before, after, compared) : unpaired(before, after)) steps.push(step);
    if (x < old.length) steps.push({ kind: "changed", old: old[x] as T, new: now[y] as T });
    [i, j] = [x + 1, y + 1];
  }
  return steps;
}

/** Pairs that share most of their sketches, in the longest order that both sequences keep. */
function likePairs<T>(
  old: readonly T[],
  now: readonly T[],
  { likeness, sketchOf }: Compared<T>,
): readonly (readonly [number, number])[] {
  const places = new Map<number, number[]>();
  old.forEach((one, i) => {
    for (const number of sketchOf(one)) {
      const known = places.get(number);
      if (known === undefined) places.set(number, [i]);
      else known.push(i);
    }
  });
  const best = new Map<number, { readonly j: number; readonly votes: number }>();
  now.forEach((one, j) => {
    const votes = new Map<number, number>();
    for (const number of sketchOf(one)) {
      const found = places.get(number) ?? [];
      if (found.length <= RARE) for (const i of found) votes.set(i, (votes.get(i) ?? 0) + 1);
    }
    const [[i, count] = [-1, 0]] = [...votes].sort((a, b) => b[1] - a[1]);
    if (count > (best.get(i)?.votes ?? 0)) best.set(i, { j, votes: count });
  });
  const pairs = [...best]
    .map(([i, { j }]) => [i, j] as const)
    .filter(([i, j]) => likeness(old[i] as T, now[j] as T) >= ALIKE)
    .sort((a, b) => a[0] - b[0]);
  return longestRise(pairs);
}

/** The pairs that are most alike in all, in their order. */
function pair<T>(old: readonly T[], now: readonly T[], { likeness, work }: Compared<T>): readonly Step<T>[] {
  spend(work, PAIR * old.length * now.length);
  if (work.left <= 0) return unpaired(old, now);
  const [n, m] = [old.length, now.length];
  const width = m + 1;
  const best = new Float32Array((n + 1) * width);
  const taken = new Uint8Array((n + 1) * width);
  for (let i = n - 1; i >= 0; i--) {
    for (let j = m - 1; j >= 0; j--) {
      const skip = Math.max(best[(i + 1) * width + j] ?? 0, best[i * width + j + 1] ?? 0);
      const like = likeness(old[i] as T, now[j] as T);
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
