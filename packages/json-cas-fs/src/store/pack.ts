import { CasError, type Hash } from "@uncaged/json-cas";
import { fsyncDir, isMissing, removeIfThere } from "../files/index.js";
import {
  eachPackedNode,
  holdFreePacks,
  holdPacks,
  type NewPack,
  newPack,
  type OpenPack,
  removePacks,
  touchPack,
} from "../pack/index.js";
import { createOrder, type HashTable } from "../table.js";
import { allowPacks, formatGuard, fsStoreFile } from "./folder.js";
import { clashesIn, takeInventory } from "./inventory.js";
import { inspectBytes, packsOf, readNext, readNode, soundBytes } from "./read.js";

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
  const inventory = takeInventory(dir);
  const { table, loose, packs } = inventory;
  // Where one hash has two contents, a person decides which one stays.
  const clashes = clashesIn(dir, inventory);
  const isUnclear = new Set(clashes.map(({ hash }) => hash));
  const isLeft = new Set(clashes.flatMap((clash) => clash.packs.map(({ name }) => name)));
  for (const { name } of packsOf(dir).broken()) isLeft.add(name);
  /** Whether a node is to be packed, and then whether it is. */
  const state = new Uint8Array(table.size());
  let [wanted, bytes] = [0, 0];
  for (let place = 0; place < loose; place += 1) {
    const hash = table.hashAt(place);
    if (!isWanted(hash) || isUnclear.has(hash)) continue;
    state[place] = CHOSEN;
    wanted += 1;
    bytes += inspectBytes(fsStoreFile(dir, hash))?.size ?? 0;
  }
  const readable = packs.filter(({ pack }) => pack.size < limit && !isLeft.has(pack.name));
  const sizes = readable.map((content) => ({ ...content, size: content.pack.size }));
  const merged = wanted > 0 || packs.length > MOST_PACKS ? toMerge(sizes, bytes) : [];
  const chosenLoose = state.slice(0, loose);
  for (const { places } of merged) for (const place of places) state[place] = CHOSEN;
  const none = { ...NOTHING, loose, packs: packs.length };
  if (!state.includes(CHOSEN)) return none;
  // Where nothing is new, nothing was put again.
  const time = wanted > 0 ? now() : Math.max(...merged.map(({ mtimeMs }) => mtimeMs));
  const pack = newPack(dir);
  try {
    writeInOrder(dir, table, roots, pack, state);
    if (pack.nodes() === 0) return none;
    allowPacks(dir);
    const made = pack.finish();
    let removed = 0;
    for (const [place, chosen] of chosenLoose.entries()) {
      if (chosen !== CHOSEN || state[place] !== WRITTEN) continue;
      if (removeIfThere(fsStoreFile(dir, table.hashAt(place)))) removed += 1;
    }
    if (removed > 0) fsyncDir(dir);
    const isWritten = (hash: Hash): boolean => state[table.placeOf(hash)] === WRITTEN;
    const gone = merged.filter((old) => isTakenOver(old.pack, isWritten)).map((old) => old.pack.name);
    removePacks(dir, gone);
    touchPack(dir, made.name, time);
    return {
      packed: pack.nodes(),
      bytes: made.size,
      pack: made.name,
      merged: gone.length,
      loose: loose - removed,
      packs: packsOf(dir).packs.length,
    };
  } finally {
    pack.drop();
  }
}

const CHOSEN = 1;
const WRITTEN = 2;

/** Leaves out nodes that are damaged or gone. */
function writeInOrder(
  dir: string,
  table: HashTable,
  roots: readonly Hash[],
  pack: NewPack,
  state: Uint8Array,
): void {
  const store = { get: (hash: Hash) => readNode(dir, hash) };
  const next = (place: number): readonly number[] => {
    const found = readNext(store, table.hashAt(place));
    if ("damage" in found) return [];
    return found.next.map(table.placeOf).filter((other) => state[other] === CHOSEN);
  };
  const order = createOrder(next, (place) => {
    const hash = table.hashAt(place);
    const bytes = soundBytes(dir, hash);
    if (bytes === null) return;
    pack.add(hash, bytes);
    state[place] = WRITTEN;
  });
  for (const root of roots) if (state[table.placeOf(root)] === CHOSEN) order(table.placeOf(root));
  for (const [place, chosen] of state.entries()) if (chosen === CHOSEN) order(place);
}

/** What is left of a damaged pack is for `verify --repair`, even where its nodes are sound: it stays until a person has seen it. */
function isTakenOver(pack: OpenPack, isWritten: (hash: Hash) => boolean): boolean {
  let isWhole = true;
  const { damage } = eachPackedNode(pack, true, (hash) => {
    if (!isWritten(hash)) isWhole = false;
  });
  return isWhole && damage === null;
}
