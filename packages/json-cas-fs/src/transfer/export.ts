import { CasError, encodeNode, type Hash, type Store, validate, violationMessage } from "@uncaged/json-cas";
import { packOutput } from "../pack/index.js";
import { createFsStore, fsStoreFile, readNext } from "../store/index.js";
import { createHashTable, createOrder } from "../table.js";
import type { ExportEntry, ExportFigures } from "./types.js";

/**
 * Writes everything that the roots reach through references and types as a pack, piece by piece: each node after what it
 * refers to, in an order that depends on nothing but the nodes and the roots, so the same ones give the same bytes. It
 * reads no other node. Throws `NODE_MISSING` for a root and `NODE_DAMAGED` for anything that an import would refuse; what
 * has been written by then is not a valid export.
 */
export function exportNodes(
  dir: string,
  roots: readonly Hash[],
  entries: readonly ExportEntry[],
  write: (piece: Uint8Array) => void,
): ExportFigures {
  const store = createFsStore(dir);
  for (const root of roots) {
    if (!store.has(root)) throw new CasError({ code: "NODE_MISSING", hash: root, referrer: null });
  }
  const output = packOutput(write);
  const table = createHashTable();
  const next = (place: number): readonly number[] => {
    const hash = table.hashAt(place);
    const found = readNext(store, hash);
    if ("damage" in found) throw damaged(dir, hash, found.damage);
    const missing = found.next.find((reference) => table.placeOf(reference) === -1 && !store.has(reference));
    if (missing !== undefined) throw damaged(dir, missing, `does not exist (referred to by ${hash})`);
    return found.next.map(table.add);
  };
  const order = createOrder(next, (place) => {
    const hash = table.hashAt(place);
    output.add(hash, readNodeBytes(dir, store, hash));
  });
  const named = [...new Set(roots)].sort();
  for (const root of named) order(table.add(root));
  const { sha256, size } = output.end(entries, named);
  return { nodes: table.size(), entries: entries.length, bytes: size, sha256: sha256.toString("hex") };
}

function readNodeBytes(dir: string, store: Store, hash: Hash): Uint8Array {
  const node = store.get(hash);
  if (node === null) throw damaged(dir, hash, "it vanished");
  const problem = validate(store, node).map(violationMessage).join("; ");
  if (problem !== "") throw damaged(dir, hash, `it violates its schema: ${problem}`);
  return encodeNode(node);
}

function damaged(dir: string, hash: Hash, reason: string): CasError {
  return new CasError({ code: "NODE_DAMAGED", hash, file: fsStoreFile(dir, hash), reason });
}
