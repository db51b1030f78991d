import { type Hash, META_SCHEMA_HASH } from "@uncaged/json-cas";
import { fsyncDir, isMissing, refuseLink } from "../files/index.js";
import { type Graph, readGraph } from "../graph.js";
import { holdPacks, packDir } from "../pack/index.js";
import {
  createFsStore,
  forgetPacks,
  formatGuard,
  fsStoreFile,
  hashesNow,
  indexDir,
  inspectBytes,
  listTypes,
  MOST_PACKS,
  packStore,
  restoreTrash,
} from "../store/index.js";
import { pruneIndex } from "../verify/index.js";
import {
  createMarker,
  type GcFigures,
  type GcOptions,
  type Marker,
  type Root,
  type Trouble,
} from "./marker.js";
import { createSweep, type Sweep, sweepPacks } from "./sweep.js";

// Mark from the roots, then from everything young, then remove the rest, referrers first. Why no node that
// is needed can go, whatever other processes do at the same time:
// - A node that is put, or put again, is young from then on; `moveToTrash` looks at its time again first.
// - What refers to something else keeps it: a young node, a node that came since, a root that came since.
// - Roots are asked for again whenever `hold` is taken, and cannot change while it is held.
// - What a run puts is young, since the grace period reaches back to its start; its printed hash is a root.
// A process that points a gc root to an old node without roots checks afterwards that nothing is missing: a chain that can
// be read then is complete, because what it refers to would have been removed after it.

/**
 * Removes, or only names, the nodes of a store that nothing reaches. Nothing is removed when a required root is missing, or a node that one reaches is missing or damaged: what hangs on it
 * cannot be known. Those that are accepted may be missing. Throws `IO_FAILED`, `UNSUPPORTED_FORMAT`, and what `roots` and `hold` throw.
 */
export async function collectGarbage(dir: string, options: GcOptions): Promise<GcFigures> {
  formatGuard(dir).check();
  forgetPacks(dir);
  if (options.remove) for (const folder of [indexDir(dir), packDir(dir)]) refuseLink(folder);
  const restored = options.remove ? await restoreTrash(dir, options.hold) : 0;
  const graph = readGraph(dir);
  const { table } = graph;
  const marker = createMarker(createFsStore(dir), graph);
  const walk = createWalk(marker, graph, options);
  await walk.fromRoots(() => false);
  const reachable = marker.count();
  const isReachable = reachedLoose(graph, marker);
  if (!walk.isStopped()) markYoung(dir, graph, walk, options.cutoff);
  const young = marker.count() - reachable;
  const garbage = walk.isStopped() ? NO_GARBAGE : garbageIn(graph, marker, options);
  const base = {
    nodes: table.size(),
    roots: walk.roots(),
    reachable,
    young,
    garbage: garbage.nodes,
    garbageBytes: garbage.bytes,
    restored,
  };
  const swept =
    options.remove && garbage.nodes > 0 ? await sweepAll({ dir, graph, marker, walk, options }) : NOTHING;
  const packed = walk.isStopped() ? 0 : await packKept(dir, isReachable, graph.packs.length, options);
  return { ...base, ...swept, packed, refused: walk.isStopped() };
}

/** The nodes that have files of their own and that the roots reach. */
function reachedLoose({ table, loose }: Graph, marker: Marker): ReadonlySet<Hash> {
  const reached = new Set<Hash>();
  for (let place = 0; place < loose; place += 1) {
    if (marker.isMarked(place)) reached.add(table.hashAt(place));
  }
  return reached;
}

/**
 * Packs what the roots reach, if that are many nodes or there are many packs. What is only young keeps its file, and so the
 * time by which a later gc judges it.
 */
async function packKept(
  dir: string,
  isReachable: ReadonlySet<Hash>,
  packs: number,
  { pack, remove }: GcOptions,
): Promise<number> {
  if (!remove || pack === null || (isReachable.size <= pack.above && packs <= MOST_PACKS)) return 0;
  const roots = await pack.first();
  const { packed } = await packStore(dir, {
    roots,
    isWanted: (hash) => isReachable.has(hash),
    now: pack.now,
  });
  return packed;
}

const NO_GARBAGE = { nodes: 0, bytes: 0 };
const NOTHING = { removed: 0, removedBytes: 0, indexLines: 0 };

/** Every store needs it. */
const META_SCHEMA: Root = { hash: META_SCHEMA_HASH, label: "meta-schema", required: true };

type Walk = ReturnType<typeof createWalk>;

function createWalk(marker: Marker, { table }: Graph, { roots: source, tell, accepted }: GcOptions) {
  let counts: Record<string, number> = {};
  let stopped = false;
  // Looked up once: a node that appears later is young, and stays.
  const missed = new Set<Hash>();
  const isAccepted = ({ kind, hash }: Trouble): boolean => kind === "missing" && accepted.has(hash);
  const report = (trouble: Trouble, root: Root): void => {
    if (isAccepted(trouble)) return;
    if (root.required) stopped = true;
    tell(trouble, root.required, root);
  };
  /** Marks from every root that has not been told before; `wasRemoved` are nodes that we took ourselves. */
  const fromRoots = async (wasRemoved: (hash: Hash) => boolean): Promise<void> => {
    counts = {};
    await source((root: Root) => {
      const { hash, label, required } = root;
      counts[label] = (counts[label] ?? 0) + 1;
      if (!required && missed.has(hash)) return;
      marker.mark(hash, (trouble) => {
        const isRoot = trouble.referrer === null && trouble.hash === hash && trouble.kind === "missing";
        if (isRoot && !required) {
          missed.add(hash);
          return;
        }
        // The process that just made this a root finds out the same.
        if (trouble.kind === "missing" && wasRemoved(trouble.hash)) tell(trouble, false, root);
        else report(trouble, root);
      });
    });
    if (table.placeOf(META_SCHEMA_HASH) !== -1)
      marker.mark(META_SCHEMA_HASH, (trouble) => report(trouble, META_SCHEMA));
  };
  /** Marks from a node that is not a root: damage there is reported and stops nothing. */
  const from = (hash: Hash): void =>
    marker.mark(hash, (trouble) => {
      if (!isAccepted(trouble)) tell(trouble, false, null);
    });
  return { fromRoots, from, isStopped: () => stopped, /** By label. */ roots: () => counts };
}

function markYoung(dir: string, { table, loose, packs }: Graph, walk: Walk, cutoff: number): void {
  for (let place = 0; place < loose; place += 1) {
    if (isYoung(dir, table.hashAt(place), cutoff)) walk.from(table.hashAt(place));
  }
  for (const { mtimeMs, places } of packs) {
    if (mtimeMs >= cutoff) for (const place of places) walk.from(table.hashAt(place));
  }
}

function isYoung(dir: string, hash: Hash, cutoff: number): boolean {
  const stat = inspectBytes(fsStoreFile(dir, hash));
  return stat !== null && stat.mtimeMs >= cutoff;
}

function garbageIn({ table, nodeAt }: Graph, marker: Marker, options: GcOptions) {
  let [nodes, bytes] = [0, 0];
  for (let place = 0; place < table.size(); place += 1) {
    if (marker.isMarked(place)) continue;
    nodes += 1;
    bytes += nodeAt(place).size;
    if (!options.remove) options.removed(table.hashAt(place));
  }
  return { nodes, bytes };
}

type SweepAll = {
  readonly dir: string;
  readonly graph: Graph;
  readonly marker: Marker;
  readonly walk: Walk;
  readonly options: GcOptions;
};

/** Nodes with files and packs take turns, since nodes of each may refer to those of the other. */
const MOST_TURNS = 4;

async function sweepAll({ dir, graph, marker, walk, options }: SweepAll) {
  markLater(dir, graph, walk);
  const sweep = createSweep({ dir, graph, marker, cutoff: options.cutoff, tell: options.removed });
  try {
    for (let turn = 0; turn < MOST_TURNS; turn += 1) {
      await sweepFiles(walk, sweep, options);
      if (walk.isStopped() || sweep.packedReady().length === 0) break;
      const recheck = (): Promise<boolean> => recheckRoots(walk, sweep);
      const isDone = await holdPacks(dir, () => sweepPacks({ dir, graph, marker, sweep, recheck, options }));
      if (!isDone) break;
    }
  } finally {
    // Also if the roots could not be read the next time: what is removed is removed.
    if (sweep.removed().nodes > 0) fsyncDir(dir);
  }
  const { nodes, bytes } = sweep.removed();
  return { removed: nodes, removedBytes: bytes, indexLines: pruneTouched(dir, sweep) };
}

async function recheckRoots(walk: Walk, sweep: Sweep): Promise<boolean> {
  await walk.fromRoots(sweep.wasRemoved);
  return !walk.isStopped();
}

async function sweepFiles(walk: Walk, sweep: Sweep, options: GcOptions): Promise<void> {
  for (let isLeft = true; isLeft && !walk.isStopped(); ) {
    // Once before the slices: new nodes may reach many others, and no writer should wait for that walk.
    await walk.fromRoots(sweep.wasRemoved);
    isLeft = await options.hold(async () => {
      await walk.fromRoots(sweep.wasRemoved);
      // Begins now: however long the roots take, every slice removes something.
      return walk.isStopped() || sweep.run(options.startSlice());
    });
    if (isLeft && !walk.isStopped()) await options.pause();
  }
}

/** Marks what was added since the graph was read, and everything it reaches. */
function markLater(dir: string, { table }: Graph, walk: Walk): void {
  for (const hash of hashesNow(dir).values()) if (!table.has(hash)) walk.from(hash);
}

function pruneTouched(dir: string, { types, wasRemoved }: Sweep): number {
  const touched = types.has(null) ? listTypes(dir) : [...types];
  const isGone = (hash: Hash): boolean => wasRemoved(hash) && isMissing(fsStoreFile(dir, hash));
  return touched.reduce((sum, type) => sum + (type === null ? 0 : pruneIndex(dir, type, isGone)), 0);
}
