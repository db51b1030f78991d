import { type CasNode, type Hash, type JsonValue, putNode } from "@uncaged/json-cas";
import { confirmNode, createNode, type Place, replaceNode } from "./write.js";

export type WriteTarget = {
  readonly place: Place;
  readonly get: (hash: Hash) => CasNode | null;
  readonly lacks: (hash: Hash) => boolean;
  /** Epoch ms. */
  readonly now: () => number;
};

/** `put` of the store in a folder: everything is checked before the first byte is written. */
export function putInto({ place, get, lacks, now }: WriteTarget, type: Hash, payload: JsonValue): Hash {
  const backend = {
    get,
    lacks,
    create: createNode.bind(null, place),
    replace: replaceNode.bind(null, place),
    confirm: confirmNode.bind(null, place, now),
    now,
  };
  return putNode(backend, type, payload);
}
