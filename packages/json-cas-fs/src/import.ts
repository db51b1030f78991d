import { closeSync, constants, fstatSync, openSync } from "node:fs";
import {
  type CasNode,
  compareContent,
  decodeNode,
  encode,
  encodeNode,
  type Hash,
  refs,
  type Store,
  validate,
  violationMessage,
} from "@uncaged/json-cas";
import { type CheckedExport, checkExport, ExportFileError } from "./export.js";
import { AT_ONCE, collectSyncs, guarded, isMissing } from "./files/index.js";
import { holdPacks, type NewPack, newPack, touchPack } from "./pack/index.js";
import {
  allowPacks,
  announce,
  confirmNode,
  createFsStore,
  findPacked,
  formatGuard,
  fsStoreFile,
  hashesNow,
  isForeignSchema,
  mergePacks,
  type NodeFolder,
  orDamage,
  readNext,
  replaceNode,
  typeIn,
  writtenBy,
} from "./store/index.js";
import { createHashTable, createOrder, type HashTable } from "./table.js";

/** A store into which many nodes come at once. */
type ImportTarget = Pick<Store, "get" | "has"> & {
  /** Whether it was not there, and comes with this import. */
  readonly isNew: (hash: Hash) => boolean;
  /** The bytes of a node, which fit its hash. Throws `HASH_COLLISION`. */
  readonly take: (hash: Hash, bytes: Uint8Array) => void;
};

// One pack for all that is new, whose lines in the index are durable before it has its name: two flushes and one for each
// type, however many nodes come.

/** Runs `work`, then writes what it took; gives how many nodes were new. The packs are held. */
async function withTarget(
  dir: string,
  now: () => number,
  work: (target: ImportTarget) => void,
): Promise<{ readonly added: number }> {
  const format = formatGuard(dir);
  format.check();
  format.ensure();
  const done = await holdPacks(dir, () => {
    const store = createFsStore(dir);
    const syncs = collectSyncs();
    const place: NodeFolder = { dir, format, syncs };
    const there = hashesNow(dir);
    const fresh = new Map<Hash, Hash>();
    const touched = new Set<string>();
    let pack: NewPack | null = null;
    const take = (hash: Hash, bytes: Uint8Array): void => {
      const type = typeIn(bytes);
      if (type === null || fresh.has(hash)) return;
      const found = there.has(hash) ? orDamage(() => store.get(hash)) : null;
      if (found === null) {
        pack ??= newPack(dir);
        pack.add(hash, bytes);
        fresh.set(hash, type);
        return;
      }
      const node = decodeNode(bytes);
      if ("damage" in found) {
        replaceNode(place, hash, node);
        return;
      }
      compareContent({ hash, ...node, payloadBytes: encode(node.payload) }, found);
      const name = isMissing(fsStoreFile(dir, hash)) ? (findPacked(dir, hash)?.pack.name ?? null) : null;
      if (name === null) confirmNode(place, now, hash, found);
      else touched.add(name);
    };
    const finish = (made: NewPack): void => {
      const lines = announce(dir, fresh, AT_ONCE);
      allowPacks(dir);
      made.finish();
      lines.confirm();
      lines.close();
    };
    try {
      work({ get: store.get, has: store.has, isNew: (hash) => fresh.has(hash), take });
      for (const name of touched) touchPack(dir, name, now());
      if (pack !== null) finish(pack);
      syncs.flush();
      return { added: fresh.size };
    } finally {
      (pack as NewPack | null)?.drop();
    }
  });
  mergePacks(dir);
  return done;
}

/** Opens and checks a file; the caller closes it. Throws `ExportFileError`, or `IO_FAILED`. */
export function openExport(file: string): CheckedExport {
  const fd = guarded("read", file, () => openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)));
  const close = (): void => closeSync(fd);
  try {
    // It is read more than once.
    if (!guarded("read", file, () => fstatSync(fd)).isFile())
      throw new ExportFileError("it is not a regular file");
    return checkExport(fd, file, close);
  } catch (error) {
    close();
    throw error;
  }
}

/**
 * Stores the nodes of a checked file that are not there, as one pack, with the times of their first put; an
 * existing node stays and counts as put again. Returns how many were new. `now` is epoch ms. Throws
 * `LOCK_BUSY` while another process packs.
 */
export async function importNodes(
  dir: string,
  file: CheckedExport,
  now: () => number,
): Promise<{ readonly added: number }> {
  return withTarget(dir, now, (target) => file.each(target.take));
}

/** Whether every node of a checked file is in the store. */
export function isAllThere(dir: string, { hashes }: CheckedExport): boolean {
  const [store, there] = [createFsStore(dir), hashesNow(dir)];
  return [...hashes].every((hash) => there.has(hash) || store.has(hash));
}

export type RootFigures = {
  /** The original program that has written it; `null` for a store of this program. */
  readonly writtenBy: string | null;
  /** Node files that were looked at. */
  readonly nodes: number;
  /** Of these taken over, and how many were not there before. */
  readonly taken: number;
  readonly added: number;
};

/**
 * Imports the nodes of another store whose hash matches, each after what it refers to; `tell` reports what was not
 * imported, and what was imported although something is wrong with it. `now` is epoch ms.
 */
export async function importRoot(
  dir: string,
  from: string,
  now: () => number,
  tell: (hash: Hash, message: string) => void,
): Promise<RootFigures> {
  formatGuard(from).check();
  const source = createFsStore(from);
  const table = createHashTable([...hashesNow(from).values()].sort());
  let taken = 0;
  const { added } = await withTarget(dir, now, (target) => {
    const order = createOrder(
      (place) => placesAfter(source, table, place),
      (place) => {
        if (importOne(source, target, table.hashAt(place), tell)) taken += 1;
      },
    );
    for (let place = 0; place < table.size(); place += 1) order(place);
  });
  return { writtenBy: writtenBy(from), nodes: table.size(), taken, added };
}

/** The places that a node leads to. One that cannot be read leads nowhere. */
function placesAfter(source: Store, table: HashTable, place: number): readonly number[] {
  const found = readNext(source, table.hashAt(place));
  if ("damage" in found) return [];
  return found.next.map(table.placeOf).filter((next) => next !== -1);
}

function importOne(
  source: Store,
  target: ImportTarget,
  hash: Hash,
  tell: (hash: Hash, message: string) => void,
): boolean {
  const node = orDamage(() => source.get(hash));
  if (node === null) return false;
  if ("damage" in node) {
    tell(hash, `it was not imported: ${node.damage}`);
    return false;
  }
  const isRooted = node.type === hash || isForeignSchema(source, node);
  const reader = {
    get: (wanted: Hash): CasNode | null => (target.isNew(wanted) ? source.get(wanted) : target.get(wanted)),
    has: (wanted: Hash): boolean => target.isNew(wanted) || target.has(wanted),
  };
  if (!isRooted && !reader.has(node.type)) {
    tell(hash, `it was not imported: its type ${node.type} is missing`);
    return false;
  }
  target.take(hash, encodeNode(node));
  for (const problem of isRooted ? [] : findProblems(reader, node))
    tell(hash, `it was imported, but ${problem}`);
  return true;
}

function findProblems(target: Pick<Store, "get" | "has">, node: CasNode): readonly string[] {
  const violations = validate(target, node).map(violationMessage);
  const missing = refs(target, node).filter((reference) => !target.has(reference));
  return [
    ...(violations.length === 0 ? [] : [`violates its schema: ${violations.join("; ")}`]),
    ...missing.map((reference) => `refers to ${reference}, which is missing`),
  ];
}
