import { type Hash, META_SCHEMA_HASH, type Store } from "@uncaged/json-cas";
import { fsyncDir, refuseLink } from "../files/index.js";
import { createMarker, type Marker, scanTable, type Trouble } from "../graph/index.js";
import {
  createFsStore,
  formatGuard,
  fsStoreFile,
  indexDir,
  listTypes,
  lookAt,
  restoreAsides,
} from "../store/index.js";
import type { HashTable } from "../table/index.js";
import { pruneIndex } from "../verify/index.js";
import { createSweep, type Sweep } from "./sweep.js";
import type { GcFigures, GcOptions, Root } from "./types.js";

// Mark from the roots, then from everything young, then remove the rest, referrers first. Why nothing that somebody
// needs can go, whatever happens at the same time:
// - What is put, or put again, is young from then on; its time is looked at again before it goes (`setAside`).
// - What refers to something else keeps it: a young node, a node that came since, a root that came since.
// - Roots are asked for again whenever `hold` is taken, and cannot change while it is held.
// Somebody who points a root to an old node that had none looks, after he has done so, whether everything is still there.

/**
 * Removes, or only names, the nodes of a store that nothing reaches. Holds up to 22 bytes per node in memory.
 * Nothing is removed when a root is missing, or a node that is reached is missing or damaged: what hangs on it cannot
 * be known. Those that are accepted may be missing. Throws `IO_FAILED`, `UNSUPPORTED_FORMAT`, and what `roots` and `hold` throw.
 */
export async function collectGarbage(dir: string, options: GcOptions): Promise<GcFigures> {
  formatGuard(dir).check();
  if (options.remove) refuseLink(indexDir(dir));
  const restored = options.remove ? await restoreAsides(dir, options.hold) : 0;
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
  /** Marks from a node that is no root: what is wrong there is told and stops nothing. */
  readonly from: (hash: Hash) => void;
  readonly isStopped: () => boolean;
  /** Roots by label. */
  readonly roots: () => Readonly<Record<string, number>>;
};

function createWalk(marker: Marker, table: HashTable, { roots: source, tell, accepted }: GcOptions): Walk {
  let counts: Record<string, number> = {};
  let stopped = false;
  // Looked for once: what comes to be there later is young, and stays.
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
        // Whoever made this a root just now finds out the same.
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
      // Once before: what came since may reach much, and nobody should wait while that is walked.
      await walk.fromRoots(sweep.wasRemoved);
      isLeft = await options.hold(async () => {
        await walk.fromRoots(sweep.wasRemoved);
        // Begins now: however long the roots take, every slice removes something.
        return walk.isStopped() || sweep.run(options.startSlice());
      });
      if (isLeft && !walk.isStopped()) await options.pause();
    }
  } finally {
    // Also when the roots could not be read the next time: what has gone has gone.
    if (sweep.removed().nodes > 0) fsyncDir(dir);
  }
  const { nodes, bytes } = sweep.removed();
  return { removed: nodes, removedBytes: bytes, indexLines: pruneTouched(dir, sweep) };
}

/** What came since the table was made keeps what it reaches. */
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
