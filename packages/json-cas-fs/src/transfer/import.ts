import { closeSync, constants, fstatSync, openSync } from "node:fs";
import {
  type CasNode,
  decodeNode,
  encodeNode,
  type Hash,
  refs,
  type Store,
  validate,
  violationMessage,
} from "@uncaged/json-cas";
import { guarded } from "../files/index.js";
import {
  createFsStore,
  formatGuard,
  hashesNow,
  isForeignSchema,
  orDamage,
  readNext,
  typeIn,
  writtenBy,
} from "../store/index.js";
import { createHashTable, createOrder, type HashTable } from "../table.js";
import { checkExport, ExportFileError } from "./check.js";
import { type ImportTarget, withTarget } from "./target.js";
import type { CheckedExport } from "./types.js";

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
  return withTarget(dir, now, (target) => {
    file.each((hash, bytes) => {
      const type = typeIn(bytes);
      // The check has decoded each.
      if (type !== null) target.take(hash, type, () => decodeNode(bytes), bytes);
    });
  });
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
  const node = soundNode(source, hash, tell);
  if (node === null) return false;
  const isRooted = node.type === hash || isForeignSchema(source, node);
  const reader = {
    get: (wanted: Hash): CasNode | null => (target.isNew(wanted) ? source.get(wanted) : target.get(wanted)),
    has: (wanted: Hash): boolean => target.isNew(wanted) || target.has(wanted),
  };
  if (!isRooted && !reader.has(node.type)) {
    tell(hash, `it was not imported: its type ${node.type} is missing`);
    return false;
  }
  target.take(hash, node.type, () => node, encodeNode(node));
  for (const problem of isRooted ? [] : findProblems(reader, node))
    tell(hash, `it was imported, but ${problem}`);
  return true;
}

function soundNode(source: Store, hash: Hash, tell: (hash: Hash, message: string) => void): CasNode | null {
  const found = orDamage(() => source.get(hash));
  if (found === null || !("damage" in found)) return found;
  tell(hash, `it was not imported: ${found.damage}`);
  return null;
}

function findProblems(target: Pick<Store, "get" | "has">, node: CasNode): readonly string[] {
  const violations = validate(target, node).map(violationMessage);
  const missing = refs(target, node).filter((reference) => !target.has(reference));
  return [
    ...(violations.length === 0 ? [] : [`violates its schema: ${violations.join("; ")}`]),
    ...missing.map((reference) => `refers to ${reference}, which is missing`),
  ];
}
