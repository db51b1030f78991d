import { CasError, type CasNode, type Hash, isHash, type Store } from "@uncaged/json-cas";
import { isNotRegular, isTemporaryName } from "../files/index.js";
import { eachPackedNode, packDir } from "../pack/index.js";
import {
  CLASH,
  clashesIn,
  createFsStore,
  forgetPacks,
  formatGuard,
  fsStoreFile,
  hashesNow,
  inspectBytes,
  isTooLarge,
  listTypes,
  NODE_LIMIT,
  nodeIn,
  packsOf,
  readIndexBytes,
  readNames,
  scanFolder,
  trashDamage,
  trashFile,
  writtenBy,
} from "../store/index.js";
import { createHashTable, type HashTable } from "../table.js";
import { type CheckedNode, checkNode, readOrDamage } from "./check-node.js";
import type { StoreProblem, VerifyFigures } from "./types.js";

/** So many schemas are kept in memory. */
const SCHEMAS_REMEMBERED = 1000;

type Figures = { -readonly [Name in keyof VerifyFigures]: VerifyFigures[Name] };

/**
 * Checks every node of a store (bytes, hash, schema, references, index) and reports each problem as it is found.
 * Reads only. Holds one node at a time, the schemas, and the hashes in memory. Throws
 * `IO_FAILED` if the folder itself cannot be read, and `UNSUPPORTED_FORMAT`.
 */
export function verifyStore(dir: string, tell: (problem: StoreProblem) => void): VerifyFigures {
  formatGuard(dir).check();
  forgetPacks(dir);
  const index = new Map(listTypes(dir).map((type) => [type, readLines(dir, type)]));
  const store = remembering(createFsStore(dir), (hash) => index.has(hash), hashesNow(dir));
  const isIndexed = (type: Hash, hash: Hash): boolean => index.get(type)?.hashes.has(hash) ?? false;
  const figures: Figures = {
    writtenBy: writtenBy(dir),
    nodes: 0,
    packed: 0,
    packs: 0,
    damagedPacks: 0,
    types: index.size,
    references: 0,
    damaged: 0,
    // Every node named by its index cancels one line; the remaining lines lead nowhere.
    staleIndexLines: [...index.values()].reduce((sum, { lines }) => sum + lines, 0),
    temporaryFiles: 0,
    notIndexedOnly: 0,
    setAside: 0,
  };
  const looked = createHashTable();
  /** `false` where there is nothing to look at, or a pack that cannot be read, which is a problem of its own, leaves it unknown. */
  const look = (
    hash: Hash,
    file: string,
    read: () => CasNode | { readonly damage: string } | null,
  ): boolean => {
    const checked = unlessUnknown(() => {
      const node = read();
      return node === null ? null : checkNode(store, hash, node, isIndexed);
    });
    if (checked === null) return false;
    count(figures, checked);
    for (const problem of checked.problems) tell({ ...problem, hash, file });
    return true;
  };
  for (const entry of scanFolder(dir)) {
    if (entry.kind === "temporary") figures.temporaryFiles += 1;
    if (entry.kind === "trash") countTrash(dir, entry.hash, figures, tell);
    if (
      entry.kind === "node" &&
      look(entry.hash, fsStoreFile(dir, entry.hash), () => readOrDamage(store, entry.hash))
    )
      looked.add(entry.hash);
  }
  const tellPack = (file: string, reason: string): void => {
    figures.damagedPacks += 1;
    tell({ kind: "pack", hash: null, file, message: reason });
  };
  const { packs, broken } = packsOf(dir);
  const names = new Set(packs.map(({ name }) => name));
  for (const { name, file, reason } of broken()) if (!names.has(name)) tellPack(file, reason);
  figures.packs = packs.length;
  for (const clash of clashesIn(dir, packs, (hash) => looked.has(hash))) {
    figures.damaged += 1;
    tell({ kind: "damaged", hash: clash.hash, file: clash.packs[0].file, message: CLASH });
  }
  for (const pack of packs) {
    const { damage } = eachPackedNode(pack, { longest: NODE_LIMIT, checksum: true }, (hash, content) => {
      const node = (): ReturnType<typeof nodeIn> =>
        "reason" in content ? { damage: content.reason } : nodeIn(hash, content);
      const before = looked.size();
      if (looked.add(hash) === before && look(hash, pack.file, node)) figures.packed += 1;
    });
    if (damage !== null) tellPack(damage.file, damage.reason);
  }
  for (const name of readNames(packDir(dir))) if (isTemporaryName(name)) figures.temporaryFiles += 1;
  return figures;
}

function unlessUnknown(check: () => CheckedNode | null): CheckedNode | null {
  try {
    return check();
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "PACK_DAMAGED") return null;
    throw error;
  }
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

/** The hashes in an index, and its lines that are not empty, whatever their content. */
type IndexLines = { readonly hashes: HashTable; readonly lines: number };

/** An index that is not a regular file, or too large, has no lines, so its nodes are reported as missing from the index. */
function readLines(dir: string, type: Hash): IndexLines {
  try {
    const lines = readIndexBytes(dir, type).toString("latin1").split("\n");
    return {
      hashes: createHashTable(lines.filter(isHash)),
      lines: lines.filter((line) => line !== "").length,
    };
  } catch (error) {
    if (isNotRegular(error) || isTooLarge(error)) return { hashes: createHashTable(), lines: 0 };
    throw error;
  }
}

/** The same store with a memory for schemas, of which there are few, and for what there is. */
function remembering(store: Store, isType: (hash: Hash) => boolean, all: HashTable): Store {
  const schemas = new Map<Hash, CasNode | null>();
  const get = (hash: Hash): CasNode | null => {
    const known = schemas.get(hash);
    if (known !== undefined) return known;
    const node = store.get(hash);
    if (!isType(hash)) return node;
    if (schemas.size >= SCHEMAS_REMEMBERED) schemas.clear();
    schemas.set(hash, node);
    return node;
  };
  // What came later, or has gone meanwhile, is looked up.
  return { ...store, get, has: (hash) => all.has(hash) || store.has(hash) };
}
