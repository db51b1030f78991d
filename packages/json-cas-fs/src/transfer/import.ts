import { closeSync, constants, fstatSync, openSync } from "node:fs";
import {
  CasError,
  type CasNode,
  encode,
  type Hash,
  refs,
  type Store,
  settleNode,
  validate,
  violationMessage,
} from "@uncaged/json-cas";
import { collectSyncs, guarded } from "../files/index.js";
import { isForeignSchema, scanTable } from "../graph.js";
import {
  confirmNode,
  createFsStore,
  createNode,
  formatGuard,
  lacksNode,
  type Place,
  replaceNode,
  writtenBy,
} from "../store/index.js";
import { checkExport } from "./check.js";
import { inRounds } from "./export.js";
import { ExportFileError } from "./format.js";
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
 * Stores every node of a checked file, each after what it refers to, with the time of its first put; an existing
 * node stays and counts as put again. Returns how many were new. `now` is epoch ms.
 */
export function importNodes(dir: string, file: CheckedExport, now: () => number): { readonly added: number } {
  const format = formatGuard(dir);
  format.check();
  const store = createFsStore(dir);
  let added = 0;
  const syncs = collectSyncs();
  const place = { dir, format, syncs };
  file.each((hash, node) => {
    if (!importNode(place, { get: store.get, now }, hash, node)) added += 1;
  });
  syncs.flush();
  return { added };
}

type Target = {
  readonly get: (hash: Hash) => CasNode | null;
  readonly now: () => number;
};

/** Whether it was there. */
function importNode(place: Place, { get, now }: Target, hash: Hash, node: CasNode): boolean {
  let isThere = false;
  const backend = {
    get,
    lacks: lacksNode.bind(null, place.dir),
    create: createNode.bind(null, place),
    replace: replaceNode.bind(null, place),
    confirm: (found: Hash, there: CasNode): void => {
      isThere = true;
      confirmNode(place, now, found, there);
    },
    now: () => node.timestamp,
  };
  const { type, payload } = node;
  settleNode(backend, { hash, type, payload, payloadBytes: encode(payload) });
  return isThere;
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
      tell(hash, `it was not imported: its type ${node.type} is missing`);
      continue;
    }
    if (!importNode(place, { get: target.get, now }, hash, node)) added += 1;
    taken += 1;
    for (const problem of isRooted ? [] : problemsOf(target, node))
      tell(hash, `it was imported, but ${problem}`);
  }
  syncs.flush();
  return { writtenBy: writtenBy(from), nodes: table.size, taken, added };
}

function soundNode(source: Store, hash: Hash, tell: (hash: Hash, message: string) => void): CasNode | null {
  try {
    return source.get(hash);
  } catch (error) {
    if (!(error instanceof CasError) || error.fault.code !== "NODE_DAMAGED") throw error;
    tell(hash, `it was not imported: ${error.fault.reason}`);
    return null;
  }
}

function problemsOf(target: Store, node: CasNode): readonly string[] {
  const violations = validate(target, node).map(violationMessage);
  const missing = refs(target, node).filter((reference) => !target.has(reference));
  return [
    ...(violations.length === 0 ? [] : [`violates its schema: ${violations.join("; ")}`]),
    ...missing.map((reference) => `refers to ${reference}, which is missing`),
  ];
}
