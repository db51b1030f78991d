import type { Random } from "./types.js";

/** mulberry32: 32 bits of state are enough to choose a victim, and the same seed chooses the same one everywhere. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  const pick = <T>(items: readonly [T, ...T[]]): T => items[below(items.length)] ?? items[0];
  return { next, below, pick };
}

/** A seed of its own for each kind, so that leaving one out does not change the others. */
export function seedFor(seed: number, name: string): number {
  return [...name].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, seed >>> 0);
}
