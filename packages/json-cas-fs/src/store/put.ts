import { type CasNode, type Hash, type JsonValue, putNode } from "@uncaged/json-cas";
import type { FormatGuard } from "./format.js";
import { confirmNode, createNode, replaceNode } from "./write.js";

export type WriteTarget = {
  readonly dir: string;
  readonly format: FormatGuard;
  readonly get: (hash: Hash) => CasNode | null;
  /** Epoch ms. */
  readonly now: () => number;
};

/** `put` of the store in a folder: everything is checked before the first byte is written. */
export function putInto({ dir, format, get, now }: WriteTarget, type: Hash, payload: JsonValue): Hash {
  const backend = {
    get,
    create: createNode.bind(null, dir, format),
    replace: replaceNode.bind(null, dir, format),
    confirm: confirmNode.bind(null, dir, format, now),
    now,
  };
  return putNode(backend, type, payload);
}
