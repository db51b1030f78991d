import type { Ran, World } from "../world/index.js";

/** Every file of a storage root with what stands in it; names are relative to the root. */
export type Snapshot = ReadonlyMap<string, Uint8Array>;

/** A thread of the store that is damaged, and all nodes that its history reaches. */
export type Subject = {
  readonly name: string;
  readonly thread: string;
  readonly head: string;
  readonly reach: ReadonlySet<string>;
};

/** Starts uwf with these words and gives what it said. */
export type Uwf = (args: readonly string[]) => Promise<Ran>;

/** A store with a bit of everything, as it was before anything was damaged. */
export type Lab = {
  readonly world: World;
  readonly uwf: Uwf;
  readonly whole: Snapshot;
  readonly subjects: readonly Subject[];
  readonly questions: readonly Question[];
  /** Nodes that only the result reaches which waits to be taken over. */
  readonly waiting: ReadonlySet<string>;
};

/** A command line that only reads, and what it answers while nothing is damaged. */
export type Question = {
  readonly args: readonly string[];
  /** The thread that it asks about; `null` for one that is about all or none. */
  readonly subject: Subject | null;
  readonly answer: Ran;
};

/** One way to damage a file. */
export const HOWS = ["flip", "truncate", "delete", "swap", "zero"] as const;
export type How = (typeof HOWS)[number];

/** Kinds of files, by what a damage of them may change. */
export type Area =
  | "node"
  | "index"
  | "format"
  | "threads"
  | "history"
  | "registry"
  | "ending"
  | "run"
  | "settings"
  | "log"
  | "lock"
  | "other";

/** What was done to which file. */
export type Damage = {
  readonly how: How;
  readonly area: Area;
  /** Relative to the root; two when two were swapped. */
  readonly files: readonly string[];
  /** What stood there afterwards; `null`: nothing. */
  readonly after: ReadonlyMap<string, Uint8Array | null>;
};
