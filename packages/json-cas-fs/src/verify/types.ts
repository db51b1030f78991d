import type { Hash } from "@uncaged/json-cas";

/** One finding about one node. */
export type StoreProblem = {
  /**
   * `damaged` bytes, `unknown-type`, `invalid` under its schema, `dangling` references, `not-indexed`; `pack`: a pack or
   * its index, as opposed to its nodes.
   */
  readonly kind: "damaged" | "unknown-type" | "invalid" | "dangling" | "not-indexed" | "pack";
  /** `null` for a pack. */
  readonly hash: Hash | null;
  readonly file: string;
  /** What is wrong, with the values it is about. */
  readonly message: string;
};

/** Figures of one pass over a complete store. */
export type VerifyFigures = {
  /** The original program that has written into it, `json-cas 0.5`; `null` for a store of this program alone. */
  readonly writtenBy: string | null;
  /** Nodes, and of these how many have no file of their own but a place in a pack. */
  readonly nodes: number;
  readonly packed: number;
  readonly packs: number;
  /** Packs of which a checksum is wrong, or that cannot be read. */
  readonly damagedPacks: number;
  /** Index files. */
  readonly types: number;
  readonly references: number;
  /** Nodes with at least one problem. */
  readonly damaged: number;
  /** Of these, nodes that are sound and only missing from the index, which `reindex` rebuilds. */
  readonly notIndexedOnly: number;
  /** Index lines that are torn, doubled or lead nowhere: a race or a kill leaves them, readers drop them. */
  readonly staleIndexLines: number;
  /** Files that an interrupted write left: harmless. */
  readonly temporaryFiles: number;
  /** Nodes that a gc which died had set aside and that can be put back; readers find them all the same. */
  readonly setAside: number;
};

export type ReindexFigures = {
  readonly nodes: number;
  readonly types: number;
  /** Lines that were missing. */
  readonly added: number;
  /** Lines that were torn, doubled, of another type or led nowhere. */
  readonly removed: number;
  /** Nodes that cannot be read and so are in no index. */
  readonly damaged: number;
  /** Indexes of packs that were made again. */
  readonly packIndexes: number;
};
