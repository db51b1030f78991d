import { CasError, encodeNode, type Hash, type Store, validate, violationMessage } from "@uncaged/json-cas";
import { createFsStore, fsStoreFile } from "../store/index.js";
import { endLine, entryLine, headerLine, LINE_LIMIT, nodeLine } from "./format.js";
import { orderOf } from "./order.js";
import { sha256, sha256Of } from "./sha256.js";
import type { ExportEntry, ExportFigures } from "./types.js";

/**
 * Writes everything that the roots reach, and the entries, line by line. Same nodes, roots and entries: same bytes.
 * Holds 16 bytes per node of the store in memory. Throws `NODE_MISSING` for a root and `NODE_DAMAGED` for anything that
 * an import would refuse; what was written by then is no export.
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
