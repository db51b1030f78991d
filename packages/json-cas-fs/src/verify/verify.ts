import {
  builtInTypes,
  type CasNode,
  FOREIGN_ROOTS,
  getSchema,
  type Hash,
  isHash,
  placeOf,
  refs,
  type Store,
  validate,
  violationMessage,
} from "@uncaged/json-cas";
import { isNotRegular, isTemporaryName, readNames } from "../files/index.js";
import { packDir } from "../pack/index.js";
import {
  CLASH,
  clashesIn,
  createFsStore,
  type Damage,
  eachNode,
  forgetPacks,
  formatGuard,
  fsStoreFile,
  inspectBytes,
  isForeignSchema,
  isTooLarge,
  listTypes,
  nodeIn,
  orDamage,
  packsOf,
  readIndexBytes,
  takeInventory,
  trashDamage,
  trashedNodes,
  trashFile,
  unlessUnknown,
  writtenBy,
} from "../store/index.js";
import type { HashTable } from "../table.js";

/** One finding about one node. */
export type StoreProblem = {
  /**
   * `damaged` bytes, `unknown-type`, `invalid` under its schema, `dangling` references, `not-indexed`; `pack`: a pack or
   * its index, as opposed to its nodes.
   */
  readonly kind: "damaged" | "unknown-type" | "invalid" | "dangling" | "not-indexed" | "pack";
  /** `null` for a pack. */
  readonly hash: Hash | null;
  readonly file: string;
  /** What is wrong, with the values it is about. */
  readonly message: string;
};

/** Figures of one pass over a complete store. */
export type VerifyFigures = {
  /** The original program that has written into it, `json-cas 0.5`; `null` for a store of this program alone. */
  readonly writtenBy: string | null;
  /** Nodes, and of these how many have no file of their own but a place in a pack. */
  readonly nodes: number;
  readonly packed: number;
  readonly packs: number;
  /** Packs of which a checksum is wrong, or that cannot be read. */
  readonly damagedPacks: number;
  /** Index files. */
  readonly types: number;
  readonly references: number;
  /** Nodes with at least one problem. */
  readonly damaged: number;
  /** Of these, nodes that are sound and only missing from the index, which `reindex` rebuilds. */
  readonly notIndexedOnly: number;
  /** Index lines that are torn, doubled or lead nowhere: a race or a kill leaves them, readers drop them. */
  readonly staleIndexLines: number;
  /** Files that an interrupted write left: harmless. */
  readonly temporaryFiles: number;
  /** Nodes that a gc which died had set aside and that can be put back; readers find them all the same. */
  readonly setAside: number;
};

type Figures = { -readonly [Name in keyof VerifyFigures]: VerifyFigures[Name] };

type NodeProblem = Pick<StoreProblem, "kind" | "message">;

/**
 * Checks every node of a store (bytes, hash, schema, references, index) and reports each problem as it is found.
 * Reads only. Holds one node at a time, the schemas, and the hashes in memory. Throws
 * `IO_FAILED` if the folder itself cannot be read, and `UNSUPPORTED_FORMAT`.
 */
export function verifyStore(dir: string, tell: (problem: StoreProblem) => void): VerifyFigures {
  formatGuard(dir).check();
  forgetPacks(dir);
  const inventory = takeInventory(dir);
  const { table, loose } = inventory;
  const figures: Figures = {
    writtenBy: writtenBy(dir),
    nodes: 0,
    packed: 0,
    packs: inventory.packs.length,
    damagedPacks: 0,
    types: 0,
    references: 0,
    damaged: 0,
    staleIndexLines: 0,
    temporaryFiles: [...readNames(dir), ...readNames(packDir(dir))].filter(isTemporaryName).length,
    notIndexedOnly: 0,
    setAside: 0,
  };
  const tellPack = ({ file, reason }: { readonly file: string; readonly reason: string }): void => {
    figures.damagedPacks += 1;
    tell({ kind: "pack", hash: null, file, message: reason });
  };
  const packs = new Set(inventory.packs.map(({ pack }) => pack.name));
  for (const broken of packsOf(dir).broken()) if (!packs.has(broken.name)) tellPack(broken);
  for (const hash of trashedNodes(dir)) countTrash(dir, hash, figures, tell);
  for (const { hash, packs: where } of clashesIn(dir, inventory)) {
    figures.damaged += 1;
    tell({ kind: "damaged", hash, file: where[0].file, message: CLASH });
  }
  const checks = createChecks(dir, table);
  /** Of each node that can be read, the number of its type; 0 of any other. */
  const typeAt = new Uint32Array(table.size());
  const hasProblem = new Uint8Array(table.size());
  const types = new Map<Hash, number>();
  const damages = eachNode(dir, inventory, true, (place, hash, content, file) => {
    if (content === null) return;
    const node = nodeIn(hash, content);
    const checked = unlessUnknown(() => checks(hash, node));
    if (checked === null) return;
    const { problems, references } = checked;
    figures.nodes += 1;
    figures.references += references;
    if (place >= loose) figures.packed += 1;
    if (problems.length > 0) {
      figures.damaged += 1;
      hasProblem[place] = 1;
      for (const problem of problems) tell({ ...problem, hash, file });
    }
    if ("damage" in node) return;
    if (!types.has(node.type)) types.set(node.type, types.size + 1);
    typeAt[place] = types.get(node.type) ?? 0;
  });
  for (const damage of damages) if (damage !== null) tellPack(damage);
  const isIndexed = new Uint8Array(table.size());
  // Read after the nodes: the line of each was written before it.
  for (const type of listTypes(dir)) {
    figures.types += 1;
    for (const line of readLines(dir, type)) {
      if (line === "") continue;
      const place = isHash(line) ? table.placeOf(line) : -1;
      const isRight = place !== -1 && isIndexed[place] === 0 && typeAt[place] === types.get(type);
      // How the original hashed its own root is unknown: it counts as its own type.
      if (isRight || (line === type && FOREIGN_ROOTS.has(type) && place !== -1)) isIndexed[place] = 1;
      else figures.staleIndexLines += 1;
    }
  }
  const names = [...types.keys()];
  const tellUnindexed = (place: number, file: string): void => {
    const type = names[(typeAt[place] ?? 0) - 1];
    if (type === undefined || isIndexed[place] === 1) return;
    isIndexed[place] = 1;
    const message = `it is missing from the index of its type ${type}`;
    tell({ kind: "not-indexed", hash: table.hashAt(place), file, message });
    if (hasProblem[place] === 1) return;
    figures.damaged += 1;
    figures.notIndexedOnly += 1;
  };
  for (let place = 0; place < loose; place += 1)
    if (isIndexed[place] === 0) tellUnindexed(place, fsStoreFile(dir, table.hashAt(place)));
  for (const { pack, places } of inventory.packs) for (const place of places) tellUnindexed(place, pack.file);
  return figures;
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

/** The lines of an index. One that is not a regular file, or too large, has none, so its nodes are reported as missing from it. */
function readLines(dir: string, type: Hash): readonly string[] {
  try {
    return readIndexBytes(dir, type).toString("latin1").split("\n");
  } catch (error) {
    if (isNotRegular(error) || isTooLarge(error)) return [];
    throw error;
  }
}

type CheckedNode = { readonly problems: readonly NodeProblem[]; readonly references: number };

const SOUND: CheckedNode = { problems: [], references: 0 };

/** Everything that can be wrong with one node that was read; `all`: the nodes that there are. */
function createChecks(dir: string, all: HashTable): (hash: Hash, node: CasNode | Damage) => CheckedNode {
  const store = createFsStore(dir);
  // What came later, or has gone meanwhile, is looked up. An entry that is not a file is damage, which has its own finding.
  const isMissing = (hash: Hash): boolean => !all.has(hash) && orDamage(() => store.has(hash)) === false;
  const schemas = new Map<Hash, boolean>();
  const isSchema = (type: Hash): boolean => {
    const known = schemas.get(type);
    if (known !== undefined) return known;
    const found = hasSchema(store, type);
    schemas.set(type, found);
    return found;
  };
  return (hash, node) => {
    // Nothing here needs the content of the original's own root.
    if ("damage" in node)
      return FOREIGN_ROOTS.has(hash) ? SOUND : { problems: [damagedBy(node)], references: 0 };
    if (isForeignSchema(store, node)) return SOUND;
    if (!isSchema(node.type)) {
      const message = `its type ${node.type} is not a schema in this store`;
      return { problems: [{ kind: "unknown-type", message }], references: 0 };
    }
    const violations = validate(store, node);
    const found = refs(store, node);
    const missing = found.some(isMissing) ? found.filter(isMissing) : [];
    if (violations.length === 0 && missing.length === 0) return { ...SOUND, references: found.length };
    const problems: NodeProblem[] = [];
    if (violations.length > 0) {
      const message = `it violates its schema: ${violations.map(violationMessage).join("; ")}`;
      problems.push({ kind: "invalid", message });
    }
    if (missing.length > 0) {
      const where = missing.map((reference) => `${reference} (${placeOf(node.payload, reference)})`);
      const verb = missing.length === 1 ? "does" : "do";
      const message = `it refers to ${where.join(", ")}, which ${verb} not exist`;
      problems.push({ kind: "dangling", message });
    }
    return { problems, references: found.length };
  };
}

function damagedBy({ damage }: Damage): NodeProblem {
  return { kind: "damaged", message: damage };
}

/** A schema that exists but is damaged has its own finding. */
function hasSchema(store: Store, type: Hash): boolean {
  const found = orDamage(() => store.get(type));
  if (found === null || builtInTypes.has(type)) return found !== null;
  return !("damage" in found) && getSchema(store, type) !== null;
}
