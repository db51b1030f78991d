import { diffArrays } from "diff";

/** Two sequences side by side: what is in both, what only in the old one, what only in the new one. */
export type Match<T> =
  | { readonly kind: "same"; readonly old: T; readonly new: T }
  | { readonly kind: "gap"; readonly old: readonly T[]; readonly new: readonly T[] };

/** Beyond this many differences two texts have nothing to do with each other, and comparing them costs their square. */
const MOST = 1500;

/** Compares by keys. Long sequences are first cut at what each of them has once. */
export function matchSequences<T>(
  old: readonly T[],
  now: readonly T[],
  keyOf: (one: T, isOld: boolean) => string,
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
  const compare = (i: number, iEnd: number, j: number, jEnd: number): void => {
    const found = diffArrays(a.slice(i, iEnd), b.slice(j, jEnd), { maxEditLength: MOST });
    if (found === undefined) {
      addGap(old.slice(i, iEnd), now.slice(j, jEnd));
      return;
    }
    let [gone, come]: [T[], T[]] = [[], []];
    for (const { added, removed, value } of found) {
      const { length } = value;
      if (removed) gone.push(...old.slice(i, i + length));
      else if (added) come.push(...now.slice(j, j + length));
      else {
        addGap(gone, come);
        [gone, come] = [[], []];
        addSame(i, j, length);
      }
      if (!added) i += length;
      if (!removed) j += length;
    }
    addGap(gone, come);
  };
  let [i, j] = [0, 0];
  for (const [x, y] of [...anchorsOf(a, b), [a.length, b.length] as const]) {
    while (i < x && j < y && a[i] === b[j]) addSame(i++, j++, 1);
    let tail = 0;
    while (x - tail > i && y - tail > j && a[x - tail - 1] === b[y - tail - 1]) tail++;
    compare(i, x - tail, j, y - tail);
    addSame(x - tail, y - tail, tail + (x < a.length && y < b.length ? 1 : 0));
    [i, j] = [x + 1, y + 1];
  }
  return matches;
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
function longestRise(pairs: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
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
