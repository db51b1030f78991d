import type { Store } from "@uncaged/json-cas";

/** A store on disk. */
export type FsStore = Store & {
  /**
   * Runs `work` with a store whose nodes get their names together, up to sixteen at a time, and are durable when it has
   * ended: nobody may be told a hash before. What `work` throws passes, and nothing that it put is sure to stay, or to go;
   * a failing write is `IO_FAILED`.
   */
  readonly together: <T>(work: (store: Store) => Promise<T>) => Promise<T>;
};

/** Runs `work` while nobody else who holds the same removes nodes, or changes what refers to them. */
export type Hold = <T>(work: () => Promise<T>) => Promise<T>;

export type FsStoreOptions = {
  /** Epoch ms; the timestamp of new nodes. */
  readonly now: () => number;
};
