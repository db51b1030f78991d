import { fstatSync } from "node:fs";
import { CasError, type Hash } from "@uncaged/json-cas";
import { fsyncDir, isMissing, removeIfThere } from "../files/index.js";
import {
  createOrder,
  eachEntry,
  eachPackedNode,
  holdFreePacks,
  holdPacks,
  type NewPack,
  newPack,
  type OpenPack,
  removePacks,
  touchPack,
} from "../pack/index.js";
import { createHashTable, type HashTable } from "../table.js";
import { inspectBytes, NODE_LIMIT } from "./bytes.js";
import { clashesIn } from "./clash.js";
import { fsStoreFile, looseNodes } from "./folder.js";
import { allowPacks, formatGuard } from "./format.js";
import { readForNext } from "./next.js";
import { packsOf } from "./packed.js";
import { readNode, soundBytes } from "./read.js";

/** With more packs than this the smallest are merged even if nothing is new. */
export const MOST_PACKS = 32;

/** A pack is written again when what is new has at least half its size: so a store has few, and each is seldom read. */
const GROWTH = 2;

/** The smallest packs, as long as what is new (bytes) with what was merged already is not small beside the next one. */
export function toMerge<Pack extends { readonly size: number }>(
  packs: readonly Pack[],
  bytes: number,
): readonly Pack[] {
  const merged: Pack[] = [];
  let sum = bytes;
  for (const [index, pack] of [...packs].sort((left, right) => left.size - right.size).entries()) {
    if (pack.size > GROWTH * sum && packs.length - index < MOST_PACKS) break;
    merged.push(pack);
    sum += pack.size;
  }
  return merged;
}

export type PackOptions = {
  /** What is packed first, each after what it reaches: the heads of threads, oldest first. */
  readonly roots: readonly Hash[];
  /** Which nodes are packed; the others keep their files. */
  readonly isWanted: (hash: Hash) => boolean;
  /** Epoch ms. */
  readonly now: () => number;
};

export type PackFigures = {
  /** Nodes in the new pack, and its bytes. */
  readonly packed: number;
  readonly bytes: number;
  /** Its name; `null` if there was nothing to pack. */
  readonly pack: string | null;
  /** Older packs whose nodes it has taken over. */
  readonly merged: number;
  /** Nodes that keep their files: damaged ones, and those that were not wanted. */
  readonly loose: number;
  /** Packs that there are now. */
  readonly packs: number;
};

// The order in which nothing is lost, whenever the process dies: the format file, the pack's index, the pack;
// only then the files of its nodes and the packs that it replaces. A process that puts one of these nodes
// meanwhile either refreshes its file's time (and the pack, whose nodes count as put when its own time says
// so, is younger in the end) or finds no file and writes one.

/**
 * Packs the nodes that have files of their own. Others may read and write meanwhile. Throws `IO_FAILED`,
 * `UNSUPPORTED_FORMAT`, and `LOCK_BUSY` if another process is packing.
 */
export async function packStore(dir: string, options: PackOptions): Promise<PackFigures> {
  formatGuard(dir).check();
  if (isMissing(dir)) return { ...NOTHING, loose: 0, packs: 0 };
  return holdPacks(dir, () => packAll(dir, options, Number.POSITIVE_INFINITY));
}

const NOTHING = { packed: 0, bytes: 0, pack: null, merged: 0 };

/** Larger packs are left to `pack` and gc: a process that has just put some nodes must not wait for seconds. */
const LARGEST = 64 * 1024 * 1024;

/**
 * Merges many small packs into one when readers have too many to look into; long traces make such packs. No
 * caller depends on it: a merge that fails is left to the next one.
 */
export function mergePacks(dir: string): void {
  try {
    const small = packsOf(dir).packs.filter(({ size }) => size < LARGEST);
    // Nothing that is wanted has a time of its own.
    const options = { roots: [], isWanted: () => false, now: () => 0 };
    if (small.length > MOST_PACKS) holdFreePacks(dir, () => void packAll(dir, options, LARGEST));
  } catch (error) {
    if (!(error instanceof CasError)) throw error;
  }
}

/** `limit`: bytes of a pack that is not merged. */
function packAll(dir: string, { roots, isWanted, now }: PackOptions, limit: number): PackFigures {
  const files = looseNodes(dir);
  const { packs, broken } = packsOf(dir);
  const loose = new Set(files);
  // Where one hash has two contents, a person decides which one stays.
  const clashes = clashesIn(dir, packs, (hash) => loose.has(hash));
  const isUnclear = new Set(clashes.map(({ hash }) => hash));
  const clashing = new Set(clashes.flatMap((clash) => clash.packs));
  const table = createHashTable();
  let bytes = 0;
  for (const hash of files) {
    if (!isWanted(hash) || isUnclear.has(hash)) continue;
    table.add(hash);
    bytes += inspectBytes(fsStoreFile(dir, hash))?.size ?? 0;
  }
  const wanted = table.size();
  const unreadable = new Set(broken().map(({ name }) => name));
  const readable = packs.filter(
    (pack) => pack.size < limit && !unreadable.has(pack.name) && !clashing.has(pack),
  );
  const merged = wanted > 0 || packs.length > MOST_PACKS ? toMerge(readable, bytes) : [];
  for (const pack of merged) eachEntry(pack, table.add);
  // Where nothing is new, nothing was put again.
  const time = wanted > 0 ? now() : Math.max(...merged.map(({ fd }) => fstatSync(fd).mtimeMs));
  const isWritten = new Uint8Array(table.size());
  const pack = table.size() === 0 ? null : newPack(dir);
  try {
    if (pack !== null) writeInOrder(dir, table, roots, pack, isWritten);
    if (pack === null || pack.nodes() === 0) return { ...NOTHING, loose: files.length, packs: packs.length };
    allowPacks(dir);
    const made = pack.finish();
    const removed = removeFiles(dir, table, isWritten.subarray(0, wanted));
    const gone = merged.filter((old) => isTakenOver(old, table, isWritten));
    removePacks(
      dir,
      gone.map(({ name }) => name),
    );
    touchPack(dir, made.name, time);
    return {
      packed: made.nodes,
      bytes: made.size,
      pack: made.name,
      merged: gone.length,
      loose: files.length - removed,
      packs: packsOf(dir).packs.length,
    };
  } finally {
    pack?.drop();
  }
}

/** Leaves out nodes that are damaged or gone. */
function writeInOrder(
  dir: string,
  table: HashTable,
  roots: readonly Hash[],
  pack: NewPack,
  isWritten: Uint8Array,
): void {
  const store = { get: (hash: Hash) => readNode(dir, hash) };
  const next = (place: number): readonly number[] => {
    const found = readForNext(store, table.hashAt(place));
    if (found === "missing" || "damage" in found) return [];
    return found.next.map(table.placeOf).filter((other) => other !== -1);
  };
  const order = createOrder(next, (place) => {
    const hash = table.hashAt(place);
    const bytes = soundBytes(dir, hash);
    if (bytes === null) return;
    pack.add(hash, bytes);
    isWritten[place] = 1;
  });
  for (const root of roots) {
    const place = table.placeOf(root);
    if (place !== -1) order(place);
  }
  for (let place = 0; place < table.size(); place += 1) order(place);
}

/** The files of these places, where they are written; gives how many. */
function removeFiles(dir: string, table: HashTable, isWritten: Uint8Array): number {
  let removed = 0;
  for (const [place, written] of isWritten.entries()) {
    if (written === 1 && removeIfThere(fsStoreFile(dir, table.hashAt(place)))) removed += 1;
  }
  if (removed > 0) fsyncDir(dir);
  return removed;
}

/** What is left of a damaged pack is for `verify --repair`, even where its nodes are sound: it stays until a person has seen it. */
function isTakenOver(pack: OpenPack, table: HashTable, isWritten: Uint8Array): boolean {
  let isWhole = true;
  const { damage } = eachPackedNode(pack, { longest: NODE_LIMIT, checksum: true }, (hash) => {
    if (isWritten[table.placeOf(hash)] !== 1) isWhole = false;
  });
  return isWhole && damage === null;
}
