import type { FsStore } from "@uncaged/json-cas-fs";

/** Absolute paths below the storage root; the only place where its layout is written down. */
export type StoragePaths = {
  readonly cas: string;
  /** Thread id to head, one line per active thread. */
  readonly threads: string;
  /** One line per ended thread. */
  readonly history: string;
  /** Workflow name to hash. */
  readonly registry: string;
  /** `runs/<thread>/`: the run under way and `ending`. */
  readonly runs: string;
  readonly config: string;
  readonly dotEnv: string;
  readonly logs: string;
  readonly locks: string;
  readonly cache: string;
};

/** An opened storage root: nothing has been touched yet, and reads never write. */
export type Storage = {
  readonly root: string;
  readonly cas: FsStore;
  readonly paths: StoragePaths;
  /** Epoch ms. */
  readonly now: () => number;
};

/** Where the root's path comes from, handed in by the binary. */
export type RootSource = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The user's home; `null` or empty when the environment names none. */
  readonly home: string | null;
};
