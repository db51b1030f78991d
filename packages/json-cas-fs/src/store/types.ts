export type FsStoreOptions = {
  /** Epoch ms; the timestamp of new nodes. */
  readonly now: () => number;
};
