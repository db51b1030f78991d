import type { OpenPack } from "./reader.js";

/** With more packs than this the smallest are merged even if nothing is new. */
export const MOST_PACKS = 32;

/** A pack is written again when what is new has at least half its size: so a store has few, and each is seldom read. */
const GROWTH = 2;

/** The smallest packs, as long as what is new (bytes) with what was merged already is not small beside the next one. */
export function toMerge(packs: readonly OpenPack[], bytes: number): readonly OpenPack[] {
  const merged: OpenPack[] = [];
  let sum = bytes;
  for (const [index, pack] of [...packs].sort((left, right) => left.size - right.size).entries()) {
    if (pack.size > GROWTH * sum && packs.length - index < MOST_PACKS) break;
    merged.push(pack);
    sum += pack.size;
  }
  return merged;
}
