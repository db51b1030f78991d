import type { CasNode, Hash, Store } from "@uncaged/json-cas";
import { createFsStore, fsStoreFile, listTypes, readIndexBytes, scanFolder } from "../store/index.js";
import { checkNode } from "./check-node.js";
import { type HashSet, hashSetOf } from "./hash-set.js";
import type { StoreProblem, VerifyFigures } from "./types.js";

/** So many schemas are kept in memory. */
const SCHEMAS_REMEMBERED = 1000;

/**
 * Looks at every node of a store: bytes, hash, schema, references, index; tells each problem as it is found. Reads
 * only. In memory are one node at a time, the schemas, and 8 bytes per line of the index.
 * Throws `IO_FAILED` when the folder itself cannot be read.
 */
export function verifyStore(dir: string, tell: (problem: StoreProblem) => void): VerifyFigures {
  const store = createFsStore(dir);
  const schemas = remembering(store);
  const index = loadIndex(dir);
  const isIndexed = (type: Hash, hash: Hash): boolean => index.get(type)?.has(hash) ?? false;
  const figures = { nodes: 0, references: 0, damaged: 0, temporaryFiles: 0 };
  let indexed = 0;
  for (const entry of scanFolder(dir)) {
    if (entry.kind === "temporary") figures.temporaryFiles += 1;
    const checked = entry.kind === "node" ? checkNode(store, schemas, entry.hash, isIndexed) : null;
    if (entry.kind !== "node" || checked === null) continue;
    figures.nodes += 1;
    figures.references += checked.references;
    figures.damaged += checked.findings.length > 0 ? 1 : 0;
    indexed += checked.isIndexed ? 1 : 0;
    for (const finding of checked.findings) {
      tell({ ...finding, hash: entry.hash, file: fsStoreFile(dir, entry.hash) });
    }
  }
  const lines = [...index.values()].reduce((sum, { lines }) => sum + lines, 0);
  // Every indexed node accounts for one line; nodes that were written meanwhile have none that we read.
  return { ...figures, types: index.size, staleIndexLines: lines - indexed };
}

function loadIndex(dir: string): ReadonlyMap<Hash, HashSet> {
  return new Map(listTypes(dir).map((type) => [type, hashSetOf(readIndexBytes(dir, type))]));
}

/** The same store with a memory for what it gives: for looking up schemas, of which there are few. */
function remembering(store: Store): Store {
  const known = new Map<Hash, CasNode | null>();
  const get = (hash: Hash): CasNode | null => {
    const remembered = known.get(hash);
    if (remembered !== undefined) return remembered;
    const node = store.get(hash);
    if (known.size >= SCHEMAS_REMEMBERED) known.clear();
    known.set(hash, node);
    return node;
  };
  return { ...store, get };
}
