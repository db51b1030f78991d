import { fstatSync } from "node:fs";
import { CasError, type Hash, hashBytes } from "@uncaged/json-cas";
import { hashOfHalves } from "../halves.js";
import {
  eachPackedNode,
  holdFreePacks,
  MOST_PACKS,
  newPack,
  type OpenPack,
  removePacks,
  toMerge,
  touchPack,
} from "../pack/index.js";
import { isPlainHash, plainNode } from "../plain.js";
import { createHashTable } from "../table.js";
import { NODE_LIMIT } from "./bytes.js";
import { clashesIn } from "./clash.js";
import { packsOf } from "./packed.js";
import { nodeIn } from "./read.js";

/**
 * Larger packs are left to `pack` and gc: a process that has just put some nodes must not wait for seconds.
 */
const LARGEST = 64 * 1024 * 1024;

/**
 * Merges many small packs into one when readers have too many to look into; long traces make such packs. No
 * caller depends on it: a merge that fails is left to the next one.
 */
export function mergePacks(dir: string): void {
  try {
    if (smallPacks(dir).length > MOST_PACKS) holdFreePacks(dir, () => mergeSmall(dir));
  } catch (error) {
    if (!(error instanceof CasError)) throw error;
  }
}

function smallPacks(dir: string): readonly OpenPack[] {
  return packsOf(dir).packs.filter(({ size }) => size < LARGEST);
}

function mergeSmall(dir: string): void {
  const { read } = packsOf(dir);
  const timeOf = ({ fd }: OpenPack): number => fstatSync(fd).mtimeMs;
  // Oldest first: a node comes after what it refers to.
  const small = [...toMerge(smallPacks(dir), 0)].sort((left, right) => timeOf(left) - timeOf(right));
  const clashing = new Set(clashesIn(dir, small, read, () => false).flatMap(({ packs }) => packs));
  const merged = small.filter((pack) => !clashing.has(pack));
  const written = createHashTable();
  const pack = newPack(dir);
  try {
    const gone = merged.filter((old) => {
      let isSound = true;
      const { damage } = eachPackedNode(
        old,
        { longest: NODE_LIMIT, seal: hashBytes, read },
        (high, low, content) => {
          const hash = hashOfHalves(high, low);
          if ("reason" in content || !isNode(hash, high, low, content)) isSound = false;
          else if (written.placeOfHalves(high, low) === -1) {
            written.addHalves(high, low);
            pack.add(hash, content);
          }
        },
      );
      // What is left of a damaged one is for `verify --repair`.
      return isSound && damage === null;
    });
    if (gone.length < 2) return;
    // Nothing in it was put again.
    const time = Math.max(...gone.map(timeOf));
    const { name } = pack.finish();
    touchPack(dir, name, time);
    removePacks(
      dir,
      gone.map(({ name }) => name),
    );
  } finally {
    pack.drop();
  }
}

function isNode(hash: Hash, high: number, low: number, bytes: Buffer): boolean {
  const plain = plainNode(bytes);
  if (plain !== null && isPlainHash(bytes, plain, high, low)) return true;
  return !("damage" in nodeIn(hash, bytes));
}
