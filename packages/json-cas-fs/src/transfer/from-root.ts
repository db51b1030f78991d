import {
  CasError,
  type CasNode,
  type Hash,
  refs,
  type Store,
  validate,
  violationMessage,
} from "@uncaged/json-cas";
import { collectSyncs } from "../files/index.js";
import { isForeignSchema, scanTable } from "../graph/index.js";
import { createFsStore, formatGuard, writtenBy } from "../store/index.js";
import { importNode } from "./import.js";
import { inRounds } from "./order.js";

export type RootFigures = {
  /** The original program that has written it; `null` for a store like ours. */
  readonly writtenBy: string | null;
  /** Node files that were looked at. */
  readonly nodes: number;
  /** Of these taken over, and how many were not there before. */
  readonly taken: number;
  readonly added: number;
};

/**
 * Takes the nodes of another store over, each after what it refers to, where its bytes have its hash; `tell` names what
 * is left behind, and what is taken though something is wrong with it. `now` is epoch ms.
 */
export function importRoot(
  dir: string,
  from: string,
  now: () => number,
  tell: (hash: Hash, message: string) => void,
): RootFigures {
  const format = formatGuard(dir);
  format.check();
  formatGuard(from).check();
  const [source, target] = [createFsStore(from), createFsStore(dir)];
  const table = scanTable(from);
  const syncs = collectSyncs();
  const place = { dir, format, syncs };
  let [taken, added] = [0, 0];
  for (const at of inRounds(source, table, () => true, table.size)) {
    const hash = table.hashAt(at);
    const node = soundNode(source, hash, tell);
    if (node === null) continue;
    const isRooted = node.type === hash || isForeignSchema(source, node);
    if (!isRooted && !target.has(node.type)) {
      tell(hash, `it is left behind: its type ${node.type} is not there`);
      continue;
    }
    if (!importNode(place, { get: target.get, now }, hash, node)) added += 1;
    taken += 1;
    for (const problem of isRooted ? [] : problemsOf(target, node))
      tell(hash, `it is taken over, but ${problem}`);
  }
  syncs.flush();
  return { writtenBy: writtenBy(from), nodes: table.size, taken, added };
}

function soundNode(source: Store, hash: Hash, tell: (hash: Hash, message: string) => void): CasNode | null {
  try {
    return source.get(hash);
  } catch (error) {
    if (!(error instanceof CasError) || error.fault.code !== "NODE_DAMAGED") throw error;
    tell(hash, `it is left behind: ${error.fault.reason}`);
    return null;
  }
}

function problemsOf(target: Store, node: CasNode): readonly string[] {
  const violations = validate(target, node).map(violationMessage);
  const missing = refs(target, node).filter((reference) => !target.has(reference));
  return [
    ...(violations.length === 0 ? [] : [`violates its schema: ${violations.join("; ")}`]),
    ...missing.map((reference) => `refers to ${reference}, which is not there`),
  ];
}
