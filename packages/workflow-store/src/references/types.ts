import type { CasNode, Hash } from "@uncaged/json-cas";

/** Where a look at references begins: a node that was read and found sound, and what its fields are called after. */
export type Top = {
  readonly name: string;
  /** `null`: it is not stored yet. */
  readonly hash: Hash | null;
  readonly node: CasNode;
};

/** A reference that leads nowhere, or to something else than it should. */
export type BrokenReference = {
  /** From the top on: `output/phases/0`, `detail/turns/3/toolCalls/0/result`. */
  readonly field: string;
  readonly hash: Hash;
  /** Who refers to it; `null`: the top that is not stored yet. */
  readonly referrer: Hash | null;
  /** The end of a sentence about the node: `does not exist`. */
  readonly reason: string;
};

export type LookOptions = {
  /** What was looked at; grows. Whoever looks from several places hands in the same one. */
  readonly seen: Set<string>;
  /** Whether everything that a node reaches was looked at before; asked of nodes that refer to others. */
  readonly isOld: (hash: Hash) => boolean;
  /** With so many seen nothing more is followed. */
  readonly most: number;
};
