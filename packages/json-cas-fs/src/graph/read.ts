import { CasError, type Hash, refs, type Store } from "@uncaged/json-cas";
import { isForeignSchema } from "./foreign.js";
import type { ReadNode } from "./types.js";

export type NodeOutcome = ReadNode | "missing" | { readonly damage: string };

/** Reads a node for what it leads to. Throws what is not about the node: `IO_FAILED`, `UNSUPPORTED_FORMAT`. */
export function readForNext(store: Store, hash: Hash): NodeOutcome {
  try {
    const node = store.get(hash);
    if (node === null) return "missing";
    if (isForeignSchema(store, node)) return { type: node.type, next: [] };
    const next = new Set([...refs(store, node), node.type]);
    next.delete(hash);
    return { type: node.type, next: [...next] };
  } catch (error) {
    return { damage: damageIn(error, hash) };
  }
}

function damageIn(error: unknown, hash: Hash): string {
  if (!(error instanceof CasError)) throw error;
  const { fault } = error;
  switch (fault.code) {
    case "NODE_DAMAGED":
      return fault.hash === hash
        ? `is damaged: ${fault.reason}`
        : `has the type ${fault.hash}, which is damaged`;
    case "UNKNOWN_TYPE":
      return `has the type ${fault.type}, which is not a schema in this store`;
    case "INVALID_SCHEMA":
      return "has a type whose references cannot be followed";
    default:
      throw error;
  }
}
