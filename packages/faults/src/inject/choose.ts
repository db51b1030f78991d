import type { Random } from "../frame/index.js";

/** So many at equal distances, the same ones every time. */
export function spread<T>(all: readonly T[], size: number): readonly T[] {
  return Array.from({ length: Math.min(size, all.length) }, (_, index) => {
    const at = Math.floor(((index + 0.5) * all.length) / size);
    return all.slice(at, at + 1);
  }).flat();
}

/** All, in an order that the seed repeats. */
export function shuffled<T>(random: Random, items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}
