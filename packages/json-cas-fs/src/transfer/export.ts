import { CasError, encodeNode, type Hash, type Store, validate, violationMessage } from "@uncaged/json-cas";
import { countReferrers, createMarker, placesAfter, scanTable, type Trouble } from "../graph.js";
import { createFsStore, fsStoreFile } from "../store/index.js";
import type { HashTable } from "../table.js";
import { endLine, entryLine, headerLine, LINE_LIMIT, nodeLine, sha256, sha256Of } from "./format.js";
import type { ExportEntry, ExportFigures } from "./types.js";

type Order = {
  readonly table: HashTable;
  /** Places, each after those of its type and its references. */
  readonly places: Uint32Array;
};

/**
 * Everything that the roots reach through references and types, in the order of the format, which depends on nothing but
 * the nodes. Throws `NODE_DAMAGED` when something is missing or damaged.
 */
function orderOf(dir: string, store: Store, roots: readonly Hash[]): Order {
  const table = scanTable(dir);
  const marker = createMarker(store, table);
  for (const root of roots) marker.mark(root, (trouble) => fail(dir, trouble));
  const isIn = (place: number): boolean => marker.isMarked(place);
  return { table, places: inRounds(store, table, isIn, marker.count()) };
}

/** The nodes of a table that `isIn`, `size` of them, in that order. One that cannot be read refers to nothing. */
export function inRounds(
  store: Store,
  table: HashTable,
  isIn: (place: number) => boolean,
  size: number,
): Uint32Array {
  const referrers = countReferrers(store, table, isIn);
  const order = new Uint32Array(size);
  let tail = 0;
  const push = (place: number): void => {
    order[tail] = place;
    tail += 1;
  };
  for (let place = 0; place < table.size; place += 1) if (isIn(place) && referrers[place] === 0) push(place);
  for (let start = 0; start < tail; ) {
    // Places are in the order of hashes.
    const round = order.subarray(start, tail).sort();
    start = tail;
    for (const place of round) {
      for (const next of placesAfter(store, table, place, isIn)) {
        referrers[next] = (referrers[next] ?? 0) - 1;
        if (referrers[next] === 0) push(next);
      }
    }
  }
  return order.reverse();
}

function fail(dir: string, { hash, referrer, message }: Trouble): never {
  const reason = referrer === null ? message : `${message} (referred to by ${referrer})`;
  throw new CasError({ code: "NODE_DAMAGED", hash, file: fsStoreFile(dir, hash), reason });
}

/**
 * Writes the entries and everything that the roots reach, line by line. The same nodes, roots and entries give the
 * same bytes. Holds 16 bytes per node of the store in memory. Throws `NODE_MISSING` for a root and `NODE_DAMAGED`
 * for anything that an import would refuse; what has been written by then is not a valid export.
 */
export function exportNodes(
  dir: string,
  roots: readonly Hash[],
  entries: readonly ExportEntry[],
  write: (text: string) => void,
): ExportFigures {
  const store = createFsStore(dir);
  for (const root of roots) {
    if (!store.has(root)) throw new CasError({ code: "NODE_MISSING", hash: root, referrer: null });
  }
  const { table, places } = orderOf(dir, store, roots);
  const sum = sha256();
  let bytes = 0;
  const line = (text: string): void => {
    sum.update(text);
    bytes += text.length;
    write(text);
  };
  const header = headerLine({
    nodes: places.length,
    entries: entries.length,
    roots: [...new Set(roots)].sort(),
  });
  if (header.length > LINE_LIMIT) throw tooMany(roots.length);
  line(header);
  for (const entry of entries) line(entryLine(entry));
  for (const place of places) line(lineOfNode(dir, store, table.hashAt(place)));
  const digest = sum.hex();
  const end = endLine(digest);
  write(end);
  return { nodes: places.length, entries: entries.length, bytes: bytes + end.length, sha256: digest };
}

function lineOfNode(dir: string, store: Store, hash: Hash): string {
  const node = store.get(hash);
  const problem = node === null ? "it vanished" : validate(store, node).map(violationMessage).join("; ");
  if (node === null || problem !== "") {
    const reason = node === null ? problem : `it violates its schema: ${problem}`;
    throw new CasError({ code: "NODE_DAMAGED", hash, file: fsStoreFile(dir, hash), reason });
  }
  const bytes = encodeNode(node);
  return nodeLine({ hash, sha256: sha256Of(bytes), bytes });
}

function tooMany(roots: number): CasError {
  return new CasError({
    code: "NOT_STORABLE",
    path: "",
    reason: `an export cannot name ${roots} roots at once`,
  });
}
