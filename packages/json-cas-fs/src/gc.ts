import { type Hash, META_SCHEMA_HASH, type Store } from "@uncaged/json-cas";
import { fsyncDir, refuseLink } from "./files/index.js";
import { countReferrers, createMarker, type Marker, readForNext, scanTable, type Trouble } from "./graph.js";
import {
  createFsStore,
  formatGuard,
  fsStoreFile,
  type Hold,
  indexDir,
  listTypes,
  lookAt,
  moveToTrash,
  restoreTrash,
} from "./store/index.js";
import type { HashTable } from "./table.js";
import { pruneIndex } from "./verify/index.js";

// A node is removed only after every node that refers to it: whenever gc dies, no remaining node refers to a
// removed one. And a node that turns out to be needed keeps what it reaches.

type Sweep = {
  /** Removes nodes until `isOver`, at least one; returns whether some are left. */
  readonly run: (isOver: () => boolean) => boolean;
  readonly removed: () => { readonly nodes: number; readonly bytes: number };
  readonly wasRemoved: (hash: Hash) => boolean;
  /** Types of removed nodes; contains `null` if the type of one could not be read. */
  readonly types: ReadonlySet<Hash | null>;
};

type SweepOptions = {
  readonly dir: string;
  readonly store: Store;
  readonly table: HashTable;
  readonly marker: Marker;
  readonly cutoff: number;
  readonly tell: (hash: Hash) => void;
};

/** Prepares to remove what is not marked; nodes marked later stay. 9 bytes per node. */
function createSweep({ dir, store, table, marker, cutoff, tell }: SweepOptions): Sweep {
  const isGarbage = (place: number): boolean => !marker.isMarked(place);
  const referrers = countReferrers(store, table, isGarbage);
  const gone = new Uint8Array(table.size);
  const types = new Set<Hash | null>();
  const queue = new Uint32Array(table.size);
  let [head, tail, nodes, bytes] = [0, 0, 0, 0];

  const push = (place: number): void => {
    queue[tail] = place;
    tail += 1;
  };
  for (let place = 0; place < table.size; place += 1) {
    if (isGarbage(place) && referrers[place] === 0) push(place);
  }
  const release = (hash: Hash): void => {
    const place = table.placeOf(hash);
    const left = place === -1 ? 0 : (referrers[place] ?? 0);
    if (left === 0) return;
    referrers[place] = left - 1;
    if (left === 1 && isGarbage(place)) push(place);
  };
  const remove = (place: number): void => {
    const hash = table.hashAt(place);
    const found = readForNext(store, hash);
    const size = found === "missing" ? null : moveToTrash(dir, hash, cutoff);
    if (found === "missing" || size === null) return;
    gone[place] = 1;
    nodes += 1;
    bytes += size;
    tell(hash);
    types.add("damage" in found ? null : found.type);
    if (!("damage" in found)) for (const next of found.next) release(next);
  };
  const run = (isOver: () => boolean): boolean => {
    while (head < tail) {
      const place = queue[head] ?? 0;
      head += 1;
      if (isGarbage(place)) remove(place);
      if (isOver()) break;
    }
    return head < tail;
  };
  return {
    run,
    removed: () => ({ nodes, bytes }),
    wasRemoved: (hash) => gone[table.placeOf(hash)] === 1,
    types,
  };
}

/** A node that something outside the store relies on. */
export type Root = {
  readonly hash: Hash;
  /** Where it stands: `heads`, `history`; counted by it. */
  readonly label: string;
  /** A root that must be there: that it is missing is damage. Others are passed over then. */
  readonly required: boolean;
};

/**
 * Tells every root there is at this moment; asked again while nodes are removed, and then needs not repeat one that is
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
  /** `stops`: because of it nothing (more) is removed. */
  readonly tell: (trouble: Trouble, stops: boolean) => void;
  /** Each node that goes, or would. */
  readonly removed: (hash: Hash) => void;
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
  /** What an earlier gc that died had set aside and is back. */
  readonly restored: number;
  /** Whether something prevents removal. */
  readonly refused: boolean;
};

// Mark from the roots, then from everything young, then remove the rest, referrers first. Why nothing that somebody
// needs can go, whatever happens at the same time:
// - What is put, or put again, is young from then on; its time is looked at again before it goes (`moveToTrash`).
// - What refers to something else keeps it: a young node, a node that came since, a root that came since.
// - Roots are asked for again whenever `hold` is taken, and cannot change while it is held.
// Whoever points a gc root to an old node without roots checks afterwards that everything is still there.

/**
 * Removes, or only names, the nodes of a store that nothing reaches. Holds up to 22 bytes per node in memory.
 * Nothing is removed when a root is missing, or a node that is reached is missing or damaged: what hangs on it cannot
 * be known. Those that are accepted may be missing. Throws `IO_FAILED`, `UNSUPPORTED_FORMAT`, and what `roots` and `hold` throw.
 */
export async function collectGarbage(dir: string, options: GcOptions): Promise<GcFigures> {
  formatGuard(dir).check();
  if (options.remove) refuseLink(indexDir(dir));
  const restored = options.remove ? await restoreTrash(dir, options.hold) : 0;
  const store = createFsStore(dir);
  const table = scanTable(dir);
  const marker = createMarker(store, table);
  const walk = createWalk(marker, table, options);
  await walk.fromRoots(() => false);
  const reachable = marker.count();
  if (!walk.isStopped()) markYoung(dir, table, walk, options.cutoff);
  const young = marker.count() - reachable;
  const garbage = walk.isStopped() ? NO_GARBAGE : garbageIn(dir, table, marker, options);
  const base = {
    nodes: table.size,
    roots: walk.roots(),
    reachable,
    young,
    garbage: garbage.nodes,
    garbageBytes: garbage.bytes,
    restored,
  };
  const swept =
    options.remove && garbage.nodes > 0
      ? await sweepAll({ dir, store, table, marker, walk, options })
      : NOTHING;
  return { ...base, ...swept, refused: walk.isStopped() };
}

const NO_GARBAGE = { nodes: 0, bytes: 0 };
const NOTHING = { removed: 0, removedBytes: 0, indexLines: 0 };

type Walk = {
  /** Marks from every root that has not been told before; `wasRemoved` are nodes that we took ourselves. */
  readonly fromRoots: (wasRemoved: (hash: Hash) => boolean) => Promise<void>;
  /** Marks from a node that is not a root: damage there is reported and stops nothing. */
  readonly from: (hash: Hash) => void;
  readonly isStopped: () => boolean;
  /** Roots by label. */
  readonly roots: () => Readonly<Record<string, number>>;
};

function createWalk(marker: Marker, table: HashTable, { roots: source, tell, accepted }: GcOptions): Walk {
  let counts: Record<string, number> = {};
  let stopped = false;
  // Looked up once: a node that appears later is young, and stays.
  const missed = new Set<Hash>();
  const isAccepted = ({ kind, hash }: Trouble): boolean => kind === "missing" && accepted.has(hash);
  const stop = (trouble: Trouble): void => {
    if (isAccepted(trouble)) return;
    stopped = true;
    tell(trouble, true);
  };
  const fromRoots = async (wasRemoved: (hash: Hash) => boolean): Promise<void> => {
    counts = {};
    await source(({ hash, label, required }: Root) => {
      counts[label] = (counts[label] ?? 0) + 1;
      if (!required && missed.has(hash)) return;
      marker.mark(hash, (trouble) => {
        const isRoot = trouble.referrer === null && trouble.hash === hash && trouble.kind === "missing";
        if (isRoot && !required) {
          missed.add(hash);
          return;
        }
        // The process that just made this a root finds out the same.
        if (trouble.kind === "missing" && wasRemoved(trouble.hash)) tell(trouble, false);
        else stop(trouble);
      });
    });
    if (table.placeOf(META_SCHEMA_HASH) !== -1) marker.mark(META_SCHEMA_HASH, stop);
  };
  const from = (hash: Hash): void =>
    marker.mark(hash, (trouble) => {
      if (!isAccepted(trouble)) tell(trouble, false);
    });
  return { fromRoots, from, isStopped: () => stopped, roots: () => counts };
}

function markYoung(
  dir: string,
  table: HashTable,
  walk: Walk & { readonly from: (hash: Hash) => void },
  cutoff: number,
): void {
  for (let place = 0; place < table.size; place += 1) {
    const hash = table.hashAt(place);
    if (isYoung(dir, hash, cutoff)) walk.from(hash);
  }
}

function isYoung(dir: string, hash: Hash, cutoff: number): boolean {
  const stat = lookAt(fsStoreFile(dir, hash));
  return stat !== null && stat.mtimeMs >= cutoff;
}

function garbageIn(dir: string, table: HashTable, marker: Marker, options: GcOptions) {
  let [nodes, bytes] = [0, 0];
  for (let place = 0; place < table.size; place += 1) {
    if (marker.isMarked(place)) continue;
    const hash = table.hashAt(place);
    nodes += 1;
    bytes += lookAt(fsStoreFile(dir, hash))?.size ?? 0;
    if (!options.remove) options.removed(hash);
  }
  return { nodes, bytes };
}

type SweepAll = {
  readonly dir: string;
  readonly store: Store;
  readonly table: HashTable;
  readonly marker: Marker;
  readonly walk: Walk;
  readonly options: GcOptions;
};

async function sweepAll({ dir, store, table, marker, walk, options }: SweepAll) {
  markLater(dir, table, walk);
  const sweep = createSweep({ dir, store, table, marker, cutoff: options.cutoff, tell: options.removed });
  try {
    for (let isLeft = true; isLeft && !walk.isStopped(); ) {
      // Once before the slices: new nodes may reach many others, and nobody should have to wait for that walk.
      await walk.fromRoots(sweep.wasRemoved);
      isLeft = await options.hold(async () => {
        await walk.fromRoots(sweep.wasRemoved);
        // Begins now: however long the roots take, every slice removes something.
        return walk.isStopped() || sweep.run(options.startSlice());
      });
      if (isLeft && !walk.isStopped()) await options.pause();
    }
  } finally {
    // Also if the roots could not be read the next time: what is removed is removed.
    if (sweep.removed().nodes > 0) fsyncDir(dir);
  }
  const { nodes, bytes } = sweep.removed();
  return { removed: nodes, removedBytes: bytes, indexLines: pruneTouched(dir, sweep) };
}

/** Marks what was added since the table was made, and everything it reaches. */
function markLater(dir: string, table: HashTable, walk: Walk): void {
  const later = scanTable(dir);
  for (let place = 0; place < later.size; place += 1) {
    const hash = later.hashAt(place);
    if (table.placeOf(hash) === -1) walk.from(hash);
  }
}

function pruneTouched(dir: string, { types, wasRemoved }: Sweep): number {
  const touched = types.has(null) ? listTypes(dir) : [...types];
  const isGone = (hash: Hash): boolean => wasRemoved(hash) && lookAt(fsStoreFile(dir, hash)) === null;
  return touched.reduce((sum, type) => sum + (type === null ? 0 : pruneIndex(dir, type, isGone)), 0);
}
