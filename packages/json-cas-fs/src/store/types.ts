import type { Hash, JsonValue, Store } from "@uncaged/json-cas";

/** A node whose bytes show that it is sound: they fit its hash and are valid under its type. */
export type SoundNode = {
  readonly type: Hash;
  /** As `refs` gives them. */
  readonly references: readonly Hash[];
  /** Decodes it. */
  readonly payload: () => JsonValue;
};

/** A store on disk. */
export type FsStore = Store & {
  /**
   * Runs `work` with a store whose nodes get their names together and are durable when it ends, in files of their own or, if
   * they are many, in one pack; no hash may be reported before. Errors of `work` pass through, and what it has put may or may not
   * stay; a failing write is `IO_FAILED`.
   */
  readonly together: <T>(work: (store: Store) => Promise<T>) => Promise<T>;
  /** A node that is certainly sound, which takes a fraction of `get`, `validate` and `refs`; `null`: ask them. */
  readonly sound: (hash: Hash) => SoundNode | null;
};

/** Runs `work` while no other holder removes nodes or changes what refers to them. */
export type Hold = <T>(work: () => Promise<T>) => Promise<T>;

export type FsStoreOptions = {
  /** Epoch ms; the timestamp of new nodes. */
  readonly now: () => number;
};
