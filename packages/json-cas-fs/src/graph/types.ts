import type { Hash } from "@uncaged/json-cas";

/** What stands in the way of knowing everything that a node reaches. */
export type Trouble = {
  readonly kind: "missing" | "damaged";
  readonly hash: Hash;
  /** Who refers to it; `null` for a root. */
  readonly referrer: Hash | null;
  /** What is wrong, as the end of a sentence about the node. */
  readonly message: string;
};

/** A node and where it leads. */
export type ReadNode = {
  readonly type: Hash;
  /** Its references and its type, each once, itself never. */
  readonly next: readonly Hash[];
};
