/** Runs `work` while nobody else who holds the same removes nodes, or changes what refers to them. */
export type Hold = <T>(work: () => Promise<T>) => Promise<T>;

export type FsStoreOptions = {
  /** Epoch ms; the timestamp of new nodes. */
  readonly now: () => number;
};
