import type { Store } from "@uncaged/json-cas";

/** A store on disk. */
export type FsStore = Store & {
  /**
   * Runs `work` with a store whose nodes get their names together and are durable when it ends, in files of their own or, if
   * they are many, in one pack; no hash may be reported before. Errors of `work` pass through, and what it has put may or may not
   * stay; a failing write is `IO_FAILED`.
   */
  readonly together: <T>(work: (store: Store) => Promise<T>) => Promise<T>;
};

/** Runs `work` while no other holder removes nodes or changes what refers to them. */
export type Hold = <T>(work: () => Promise<T>) => Promise<T>;

export type FsStoreOptions = {
  /** Epoch ms; the timestamp of new nodes. */
  readonly now: () => number;
};
