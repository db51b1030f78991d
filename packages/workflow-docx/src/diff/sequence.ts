import { diffArrays } from "diff";

/** Two sequences side by side: what is in both, what only in the old one, what only in the new one. */
type Match<T> =
  | { readonly kind: "same"; readonly old: T; readonly new: T }
  | { readonly kind: "gap"; readonly old: readonly T[]; readonly new: readonly T[] };

/** Beyond this many differences two texts have nothing to do with each other, and comparing them costs their square. */
const MOST = 1500;

/** Compares by keys. Long sequences are first cut at what each of them has once. */
export function matchSequences<T>(
  old: readonly T[],
  now: readonly T[],
  keyOf: (one: T, isOld: boolean) => string,
  work: Work,
): readonly Match<T>[] {
  const ids = new Map<string, number>();
  const idOf = (key: string): number => {
    const known = ids.get(key) ?? ids.size;
    ids.set(key, known);
    return known;
  };
  const a = old.map((one) => idOf(keyOf(one, true)));
  const b = now.map((one) => idOf(keyOf(one, false)));
  const matches: Match<T>[] = [];
  const addGap = (gone: readonly T[], come: readonly T[]): void => {
    if (gone.length + come.length > 0) matches.push({ kind: "gap", old: gone, new: come });
  };
  const addSame = (i: number, j: number, length: number): void => {
    for (let at = 0; at < length; at++)
      matches.push({ kind: "same", old: old[i + at] as T, new: now[j + at] as T });
  };
  /** A stretch of both. What only one of the two has takes no part in the comparison. */
  const compare = (i: number, iEnd: number, j: number, jEnd: number): void => {
    const [left, right] = [placesOf(a, i, iEnd, b.slice(j, jEnd)), placesOf(b, j, jEnd, a.slice(i, iEnd))];
    const idsAt = (ids: readonly number[], places: readonly number[]) => places.map((at) => ids[at] ?? 0);
    const isNone = left.length === 0 || right.length === 0;
    const found = isNone ? [] : editsOf(idsAt(a, left), idsAt(b, right), work);
    let [p, q] = [0, 0];
    for (const { added, removed, value } of found) {
      for (let count = value.length; !added && !removed && count > 0; count--) {
        const [x, y] = [left[p++] ?? iEnd, right[q++] ?? jEnd];
        addGap(old.slice(i, x), now.slice(j, y));
        addSame(x, y, 1);
        [i, j] = [x + 1, y + 1];
      }
      if (removed) p += value.length;
      if (added) q += value.length;
    }
    addGap(old.slice(i, iEnd), now.slice(j, jEnd));
  };
  /** The same without what it begins and ends with on both sides. */
  const compareMiddle = (i: number, x: number, j: number, y: number): void => {
    while (i < x && j < y && a[i] === b[j]) addSame(i++, j++, 1);
    let tail = 0;
    while (x - tail > i && y - tail > j && a[x - tail - 1] === b[y - tail - 1]) tail++;
    const [start, begin] = [i, j];
    for (const [left, right] of anchorsOf(a.slice(i, x - tail), b.slice(j, y - tail))) {
      const [p, q] = [start + left, begin + right];
      compare(i, p, j, q);
      addSame(p, q, 1);
      [i, j] = [p + 1, q + 1];
    }
    compare(i, x - tail, j, y - tail);
    addSame(x - tail, y - tail, tail);
  };
  compareMiddle(0, a.length, 0, b.length);
  return matches;
}

/** What leads from one to the other; none where that would be too much. */
function editsOf(
  a: readonly number[],
  b: readonly number[],
  work: Work,
): ReturnType<typeof diffArrays<number>> {
  spend(work, a.length + b.length);
  const maxEditLength = Math.min(MOST, Math.floor(Math.sqrt(Math.max(0, work.left))));
  const edits = diffArrays([...a], [...b], { maxEditLength });
  const length = edits?.reduce((sum, { added, removed, count }) => sum + (added || removed ? count : 0), 0);
  // One step for each length up to this one, and for each diagonal that it reaches.
  spend(work, (length ?? maxEditLength) ** 2);
  return edits ?? [];
}

/** Where the ids of a stretch stand that are among the others. */
function placesOf(
  ids: readonly number[],
  from: number,
  to: number,
  others: readonly number[],
): readonly number[] {
  const known = new Set(others);
  const places: number[] = [];
  for (let at = from; at < to; at++) if (known.has(ids[at] ?? -1)) places.push(at);
  return places;
}

/** What both sequences have once, in the longest order that both keep. */
function anchorsOf(a: readonly number[], b: readonly number[]): readonly (readonly [number, number])[] {
  if (a.length + b.length < 200) return [];
  const [inA, inB] = [onceIn(a), onceIn(b)];
  const pairs = [...inA].flatMap(([id, i]) => {
    const j = inB.get(id);
    return j === undefined ? [] : [[i, j] as const];
  });
  return longestRise(pairs);
}

function onceIn(ids: readonly number[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return new Map(ids.flatMap((id, at) => (counts.get(id) === 1 ? [[id, at] as const] : [])));
}

type Chain = { readonly pair: readonly [number, number]; readonly before: Chain | null };

/** The longest rising subsequence by the second number; the first ones rise already. */
export function longestRise(
  pairs: readonly (readonly [number, number])[],
): readonly (readonly [number, number])[] {
  const ends: Chain[] = [];
  for (const pair of pairs) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle]?.pair[1] ?? 0) < pair[1]) low = middle + 1;
      else high = middle;
    }
    ends[low] = { pair, before: ends[low - 1] ?? null };
  }
  const rise: (readonly [number, number])[] = [];
  for (let chain = ends.at(-1) ?? null; chain !== null; chain = chain.before) rise.push(chain.pair);
  return rise.reverse();
}

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
