import type { Store } from "@uncaged/json-cas";

/** A store on disk. */
export type FsStore = Store & {
  /**
   * Runs `work` with a store whose nodes become durable together when it has ended: one fsync of the folder and of each
   * index instead of one per node. Nobody may be told a hash before. What `work` throws passes; a failing fsync is
   * `IO_FAILED`.
   */
  readonly together: <T>(work: (store: Store) => Promise<T>) => Promise<T>;
};

/** Runs `work` while nobody else who holds the same removes nodes, or changes what refers to them. */
export type Hold = <T>(work: () => Promise<T>) => Promise<T>;

export type FsStoreOptions = {
  /** Epoch ms; the timestamp of new nodes. */
  readonly now: () => number;
};
