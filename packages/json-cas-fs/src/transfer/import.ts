import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { type CasNode, encode, type Hash, settleNode } from "@uncaged/json-cas";
import { collectSyncs, guarded } from "../files/index.js";
import {
  confirmNode,
  createFsStore,
  createNode,
  formatGuard,
  lacksNode,
  type Place,
  replaceNode,
} from "../store/index.js";
import { checkExport } from "./check.js";
import { ExportFileError } from "./error.js";
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
 * Brings every node of a checked file into the store, each after what it refers to, with the time of its first put; what
 * is there already stays and counts as put again. Gives how many were not there. `now` is epoch ms.
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
export function importNode(place: Place, { get, now }: Target, hash: Hash, node: CasNode): boolean {
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
