import { CasError, type CasNode, type Hash, hashBytes, type Store } from "@uncaged/json-cas";
import { isNotRegular, isTemporaryName } from "../files/index.js";
import { hashesNow } from "../graph/index.js";
import { hashOfHalves, highOf, lowOf } from "../halves.js";
import { eachPackedNode, packDir } from "../pack/index.js";
import {
  CLASH,
  clashesIn,
  createFsStore,
  forgetPacks,
  formatGuard,
  fsStoreFile,
  inspectBytes,
  isTooLarge,
  listTypes,
  NODE_LIMIT,
  packsOf,
  readIndexBytes,
  readNames,
  scanFolder,
  trashDamage,
  trashFile,
  writtenBy,
} from "../store/index.js";
import { createHashTable, type HashSet, type HashTable, hashSetOf } from "../table.js";
import { type CheckedNode, checkNode } from "./check-node.js";
import { createQuickCheck, type Known } from "./quick-check.js";
import type { StoreProblem, VerifyFigures } from "./types.js";

/** So many schemas are kept in memory. */
const SCHEMAS_REMEMBERED = 1000;

type Figures = { -readonly [Name in keyof VerifyFigures]: VerifyFigures[Name] };

/**
 * Checks every node of a store (bytes, hash, schema, references, index) and reports each problem as it is found.
 * Reads only. Holds one node at a time, the schemas, and 32 bytes per node and line of the index in memory. Throws
 * `IO_FAILED` if the folder itself cannot be read, and `UNSUPPORTED_FORMAT`.
 */
export function verifyStore(dir: string, tell: (problem: StoreProblem) => void): VerifyFigures {
  formatGuard(dir).check();
  forgetPacks(dir);
  const index = loadIndex(dir);
  const all = hashesNow(dir);
  const store = remembering(createFsStore(dir), (hash) => index.has(hash), all);
  const isIndexed = (type: Hash, hash: Hash): boolean => index.get(type)?.has(hash) ?? false;
  // Every node named by its index cancels one line; the remaining lines lead nowhere.
  const lines = [...index.values()].reduce((sum, set) => sum + set.lines, 0);
  const figures: Figures = {
    writtenBy: writtenBy(dir),
    nodes: 0,
    packed: 0,
    packs: 0,
    damagedPacks: 0,
    types: index.size,
    references: 0,
    damaged: 0,
    staleIndexLines: lines,
    temporaryFiles: 0,
    notIndexedOnly: 0,
    setAside: 0,
  };
  const looked = lookedOver(all);
  for (const entry of scanFolder(dir)) {
    if (entry.kind === "temporary") figures.temporaryFiles += 1;
    if (entry.kind === "trash") countTrash(dir, entry.hash, figures, tell);
    const checked = entry.kind === "node" ? checkKnown(() => checkNode(store, entry.hash, isIndexed)) : null;
    if (entry.kind !== "node" || checked === null) continue;
    looked.add(highOf(entry.hash), lowOf(entry.hash));
    count(figures, checked);
    const file = fsStoreFile(dir, entry.hash);
    for (const problem of checked.problems) tell({ ...problem, hash: entry.hash, file });
  }
  const known: Known = {
    has: (high, low) => all.placeOfHalves(high, low) !== -1,
    isIndexed: (type, high, low) => index.get(type)?.hasHalves(high, low) ?? false,
  };
  verifyPacks({ dir, store, looked, isIndexed, known, figures, tell });
  return figures;
}

/** `null` also where a pack that cannot be read, which is a problem of its own, leaves it unknown. */
function checkKnown(check: () => CheckedNode | null): CheckedNode | null {
  try {
    return check();
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "PACK_DAMAGED") return null;
    throw error;
  }
}

/** Nodes that were looked at. */
type LookedAt = {
  /** `false`: it was one of them already. */
  readonly add: (high: number, low: number) => boolean;
  readonly has: (high: number, low: number) => boolean;
};

function lookedOver(all: HashTable): LookedAt {
  const known = new Uint8Array(all.size());
  // Few: what came after `all` was read.
  const later = createHashTable();
  const has = (high: number, low: number): boolean => {
    const place = all.placeOfHalves(high, low);
    return place === -1 ? later.placeOfHalves(high, low) !== -1 : known[place] === 1;
  };
  return {
    has,
    add: (high, low) => {
      const place = all.placeOfHalves(high, low);
      const isNew = !has(high, low);
      if (place === -1) later.addHalves(high, low);
      else known[place] = 1;
      return isNew;
    },
  };
}

type VerifyPacks = {
  readonly dir: string;
  readonly store: Store;
  readonly looked: LookedAt;
  readonly isIndexed: (type: Hash, hash: Hash) => boolean;
  readonly known: Known;
  readonly figures: Figures;
  readonly tell: (problem: StoreProblem) => void;
};

function verifyPacks({ dir, store, looked, isIndexed, known, figures, tell }: VerifyPacks): void {
  const tellPack = (file: string, reason: string): void => {
    figures.damagedPacks += 1;
    tell({ kind: "pack", hash: null, file, message: reason });
  };
  const { packs, broken, read } = packsOf(dir);
  const failed = broken();
  const names = new Set(packs.map(({ name }) => name));
  for (const { name, file, reason } of failed) if (!names.has(name)) tellPack(file, reason);
  figures.packs = packs.length;
  for (const {
    hash,
    packs: [pack],
  } of clashesIn(dir, packs, read, looked.has)) {
    figures.damaged += 1;
    tell({ kind: "damaged", hash, file: pack.file, message: CLASH });
  }
  const quick = createQuickCheck(store, isIndexed, known);
  for (const pack of packs) {
    const { damage } = eachPackedNode(
      pack,
      { longest: NODE_LIMIT, seal: hashBytes, read },
      (high, low, content) => {
        if (!looked.add(high, low)) return;
        const checked = checkKnown(() => quick(high, low, content));
        if (checked === null) return;
        count(figures, checked);
        figures.packed += 1;
        for (const problem of checked.problems)
          tell({ ...problem, hash: hashOfHalves(high, low), file: pack.file });
      },
    );
    if (damage !== null) tellPack(damage.file, damage.reason);
  }
  for (const name of readNames(packDir(dir))) if (isTemporaryName(name)) figures.temporaryFiles += 1;
}

/** One that is damaged, like the node under its name if there is one, cannot be put back. */
function countTrash(dir: string, hash: Hash, figures: Figures, tell: (problem: StoreProblem) => void): void {
  const damage = trashDamage(dir, hash);
  if (damage === null) {
    figures.setAside += 1;
    return;
  }
  // What has a name is counted under it.
  if (inspectBytes(fsStoreFile(dir, hash)) === null) figures.damaged += 1;
  tell({ kind: "damaged", hash, file: trashFile(dir, hash), message: `set aside by a gc, and ${damage}` });
}

function count(figures: Figures, checked: CheckedNode): void {
  figures.nodes += 1;
  figures.references += checked.references;
  figures.damaged += checked.problems.length > 0 ? 1 : 0;
  figures.notIndexedOnly += checked.problems.every(({ kind }) => kind === "not-indexed")
    ? checked.problems.length
    : 0;
  figures.staleIndexLines -= checked.isIndexed ? 1 : 0;
}

function loadIndex(dir: string): ReadonlyMap<Hash, HashSet> {
  return new Map(listTypes(dir).map((type) => [type, hashSetOf(linesOrNone(dir, type))]));
}

/**
 * An index that is not a regular file, or too large, has no lines, so its nodes are reported as missing from the
 * index.
 */
function linesOrNone(dir: string, type: Hash): Uint8Array {
  try {
    return readIndexBytes(dir, type);
  } catch (error) {
    if (isNotRegular(error) || isTooLarge(error)) return new Uint8Array();
    throw error;
  }
}

/** The same store with a memory for schemas, of which there are few, the node that was read last, and what there is. */
function remembering(store: Store, isType: (hash: Hash) => boolean, all: HashTable): Store {
  const schemas = new Map<Hash, CasNode | null>();
  let last: { readonly hash: Hash; readonly node: CasNode | null } | null = null;
  const getSchema = (hash: Hash): CasNode | null => {
    const known = schemas.get(hash);
    if (known !== undefined) return known;
    if (schemas.size >= SCHEMAS_REMEMBERED) schemas.clear();
    const node = store.get(hash);
    schemas.set(hash, node);
    return node;
  };
  const get = (hash: Hash): CasNode | null => {
    if (isType(hash)) return getSchema(hash);
    if (last?.hash !== hash) last = { hash, node: store.get(hash) };
    return last.node;
  };
  // What came later, or has gone meanwhile, is looked up.
  const has = (hash: Hash): boolean => all.placeOf(hash) !== -1 || store.has(hash);
  return { ...store, get, has };
}
