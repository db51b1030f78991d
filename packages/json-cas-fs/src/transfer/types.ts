import type { CasNode, Hash, JsonObject } from "@uncaged/json-cas";

/** What an export names besides nodes: records of the program that uses the store, opaque here. */
export type ExportEntry = JsonObject;

export type ExportFigures = {
  readonly nodes: number;
  readonly entries: number;
  /** Of the complete file. */
  readonly bytes: number;
  /** Of everything before it: it is the end of the file. */
  readonly sha256: string;
};

/** A file that has been checked from its first byte to its last. */
export type CheckedExport = {
  readonly roots: readonly Hash[];
  readonly entries: readonly ExportEntry[];
  readonly nodes: number;
  readonly sha256: string;
  /** A node of the file; `null` when it is not in it. */
  readonly get: (hash: Hash) => CasNode | null;
  /** Every node's hash. */
  readonly hashes: ReadonlySet<Hash>;
  /** Every node's bytes, each after its type and everything that it refers to; valid until the visit returns. */
  readonly each: (visit: (hash: Hash, bytes: Uint8Array) => void) => void;
  readonly close: () => void;
};
