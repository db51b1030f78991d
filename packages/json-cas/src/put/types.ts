import type { CasNode, Hash, JsonValue } from "../node/index.js";

/** A node that has passed every check and may be written. */
export type PreparedNode = {
  readonly hash: Hash;
  readonly type: Hash;
  /** A frozen copy of what the caller gave. */
  readonly payload: JsonValue;
  readonly payloadBytes: Uint8Array;
};

/** What a backend brings to `putNode`; every function is synchronous. */
export type Backend = {
  /** `null` for what is absent; throws `CasError` `NODE_DAMAGED` for what cannot be trusted. */
  readonly get: (hash: Hash) => CasNode | null;
  /** Whether there certainly is no such node. Asked before `get` of one that mostly is not there: cheaper than to find none. */
  readonly lacks: (hash: Hash) => boolean;
  /** Writes a node that should not be there; `false` when another writer was faster. */
  readonly create: (hash: Hash, node: CasNode) => boolean;
  /** Writes over what is there and damaged. */
  readonly replace: (hash: Hash, node: CasNode) => void;
  /** The node is there already: make that durable. */
  readonly confirm: (hash: Hash, node: CasNode) => void;
  /** Epoch ms. */
  readonly now: () => number;
};
