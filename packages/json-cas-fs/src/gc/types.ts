import type { Hash } from "@uncaged/json-cas";
import type { Trouble } from "../marker.js";
import type { Hold } from "../store/index.js";

/** A node that something outside the store relies on. */
export type Root = {
  readonly hash: Hash;
  /** Where it stands: `heads`, `history`; counted by it. */
  readonly label: string;
  /**
   * It must be there, and so must what it reaches: what is missing or damaged there stops gc. Another root is passed over if
   * it is missing, and what is wrong with what only it reaches is reported and stops nothing.
   */
  readonly required: boolean;
};

/**
 * Tells every root there is at this moment, the required ones first; asked again while nodes are removed, and then needs not repeat one that is
 * not required. What it throws ends everything.
 */
export type RootSource = (tell: (root: Root) => void) => Promise<void>;

export type GcOptions = {
  readonly roots: RootSource;
  /** Nodes that are known to be gone: what refers to one stays, as if it referred to nothing. */
  readonly accepted: ReadonlySet<Hash>;
  /** Epoch ms: nodes written or put again since then stay, and so does what they reach. */
  readonly cutoff: number;
  /** `false` only says what would go. */
  readonly remove: boolean;
  /** Runs `work` while the roots cannot change. */
  readonly hold: Hold;
  /** Lets others have what `hold` holds. */
  readonly pause: () => Promise<void>;
  /** Whether a slice of removing that began at this call has lasted long enough. */
  readonly startSlice: () => () => boolean;
  /** `stops`: because of it nothing (more) is removed. `root`: what leads there; `null`: no root does. */
  readonly tell: (trouble: Trouble, stops: boolean, root: Root | null) => void;
  /** Each node that goes, or would. */
  readonly removed: (hash: Hash) => void;
  /**
   * What it keeps is packed if more than `above` nodes that the roots reach have files of their own; `first` gives what
   * comes first in a pack. `null` packs nothing.
   */
  readonly pack: {
    readonly above: number;
    readonly first: () => Promise<readonly Hash[]>;
    /** Epoch ms. */
    readonly now: () => number;
  } | null;
};

export type GcFigures = {
  /** Nodes and their bytes before. */
  readonly nodes: number;
  /** Roots by label; a node under several labels counts for each. */
  readonly roots: Readonly<Record<string, number>>;
  /** Reached from the roots. */
  readonly reachable: number;
  /** Not reached, but younger than the grace period, or reached from such a one. */
  readonly young: number;
  /** What neither holds: removed, or to be removed. */
  readonly garbage: number;
  readonly garbageBytes: number;
  readonly removed: number;
  readonly removedBytes: number;
  /** Lines that went from the index. */
  readonly indexLines: number;
  /** Nodes that an earlier gc set aside before it died, and that this one has put back. */
  readonly restored: number;
  /** Nodes that were packed. */
  readonly packed: number;
  /** Whether something prevents removal. */
  readonly refused: boolean;
};
