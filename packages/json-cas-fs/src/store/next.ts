import { CasError, type CasNode, FOREIGN_ROOTS, type Hash, refs, type Store } from "@uncaged/json-cas";

/**
 * Whether a node is a schema whose type the original program hashed in its own way, so that no reader finds
 * that type: such a schema has no references and is accepted as it is.
 */
export function isForeignSchema(store: Pick<Store, "get">, { type }: CasNode): boolean {
  if (!FOREIGN_ROOTS.has(type)) return false;
  try {
    return store.get(type) === null;
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "NODE_DAMAGED") return true;
    throw error;
  }
}

/** A node and its references. */
type ReadNode = {
  readonly type: Hash;
  /** Its references and its type, each once, itself never. */
  readonly next: readonly Hash[];
};

export type NodeOutcome = ReadNode | "missing" | { readonly damage: string };

/**
 * Reads a node for its references; `read` gives it where its bytes are at hand. Throws errors that do not concern the node
 * itself: `IO_FAILED`, `UNSUPPORTED_FORMAT`, `PACK_DAMAGED`.
 */
export function readForNext(
  store: Pick<Store, "get">,
  hash: Hash,
  read: () => CasNode | null = () => store.get(hash),
): NodeOutcome {
  try {
    const node = read();
    return node === null ? "missing" : nextOf(store, hash, node);
  } catch (error) {
    return { damage: damageIn(error, hash) };
  }
}

function nextOf(store: Pick<Store, "get">, hash: Hash, node: CasNode): ReadNode {
  if (isForeignSchema(store, node)) return { type: node.type, next: [] };
  const next = new Set([...refs(store, node), node.type]);
  next.delete(hash);
  return { type: node.type, next: [...next] };
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
