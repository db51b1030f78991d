import { CasError } from "../fault/index.js";
import { type Hasher, hashBytes } from "../hash/index.js";
import type { CasNode, Hash, JsonValue } from "../node/index.js";
import { compareContent, prepareWith } from "./prepare.js";
import type { Backend, PreparedNode } from "./types.js";

/** How often a node may appear and vanish again between our looking and our writing. */
const ATTEMPTS = 5;

/** `put` over any backend: check everything, look what is there, then write, confirm or replace. */
export function putNode(backend: Backend, type: Hash, payload: JsonValue): Hash {
  return putNodeWith(hashBytes, backend, type, payload);
}

export function putNodeWith(hasher: Hasher, backend: Backend, type: Hash, payload: JsonValue): Hash {
  return settleNode(backend, prepareWith(hasher, backend, type, payload));
}

/** Brings a checked node into a backend: written when it is absent, confirmed when it is there, replaced when damaged. */
export function settleNode(backend: Backend, prepared: PreparedNode): Hash {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (settle(backend, prepared)) return prepared.hash;
  }
  const reason = "it appears and vanishes while it is being written";
  throw new CasError({ code: "NODE_DAMAGED", hash: prepared.hash, file: null, reason });
}

/** One look and one act; false when another writer came in between. */
function settle(backend: Backend, prepared: PreparedNode): boolean {
  const found = look(backend, prepared.hash);
  if (found.kind === "absent") return backend.create(prepared.hash, fresh(backend, prepared));
  if (found.kind === "damaged") backend.replace(prepared.hash, fresh(backend, prepared));
  if (found.kind === "present") {
    compareContent(prepared, found.node);
    backend.confirm(prepared.hash, found.node);
  }
  return true;
}

type Found =
  | { readonly kind: "absent" }
  | { readonly kind: "damaged" }
  | { readonly kind: "present"; readonly node: CasNode };

function look(backend: Backend, hash: Hash): Found {
  if (backend.lacks(hash)) return { kind: "absent" };
  try {
    const node = backend.get(hash);
    return node === null ? { kind: "absent" } : { kind: "present", node };
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "NODE_DAMAGED") return { kind: "damaged" };
    throw error;
  }
}

function fresh(backend: Backend, { type, payload }: PreparedNode): CasNode {
  return Object.freeze({ type, payload, timestamp: backend.now() });
}
