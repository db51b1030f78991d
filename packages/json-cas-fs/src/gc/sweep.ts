import { fstatSync } from "node:fs";
import { type Hash, readHash } from "@uncaged/json-cas";
import { isMissing } from "../files/index.js";
import type { Graph } from "../graph.js";
import { eachEntry, eachPackedNode, newPack, removePacks } from "../pack/index.js";
import { fsStoreFile, moveToTrash, type PackContent, packsOf } from "../store/index.js";
import type { GcOptions, Marker } from "./marker.js";

// A node is removed only after every node that refers to it: whenever gc dies, no remaining node refers to a
// removed one. And a node that turns out to be needed keeps what it reaches.

export type Sweep = ReturnType<typeof createSweep>;

type SweepOptions = {
  readonly dir: string;
  readonly graph: Graph;
  readonly marker: Marker;
  readonly cutoff: number;
  readonly tell: (hash: Hash) => void;
};

/** Prepares to remove what is not marked; nodes marked later stay. */
export function createSweep({ dir, graph, marker, cutoff, tell }: SweepOptions) {
  const { table } = graph;
  const isGarbage = (place: number): boolean => !marker.isMarked(place);
  const referrers = countReferrers(graph, isGarbage);
  const gone = new Uint8Array(table.size());
  const droppedFrom = new Uint8Array(table.size());
  const types = new Set<Hash | null>();
  const queue = new Uint32Array(table.size());
  let packed: number[] = [];
  let [head, tail, nodes, bytes] = [0, 0, 0, 0];

  const push = (place: number): void => {
    queue[tail] = place;
    tail += 1;
  };
  for (let place = 0; place < table.size(); place += 1) {
    if (isGarbage(place) && referrers[place] === 0) push(place);
  }
  const release = (place: number): void => {
    const left = referrers[place] ?? 0;
    if (left === 0) return;
    referrers[place] = left - 1;
    if (left === 1 && gone[place] === 0 && isGarbage(place)) push(place);
  };
  const finish = (place: number): void => {
    gone[place] = 1;
    nodes += 1;
    const { size, type, damage, next } = graph.nodeAt(place);
    bytes += size;
    tell(table.hashAt(place));
    types.add(damage === null ? type : null);
    next.forEach(release);
  };
  /** How many packs still have it. */
  const copies = (place: number): number => (graph.copies[place] ?? 0) - (droppedFrom[place] ?? 0);
  const remove = (place: number): void => {
    const hasGone = place >= graph.loose || moveToTrash(dir, table.hashAt(place), cutoff) !== null;
    if (!hasGone) return;
    if ((graph.copies[place] ?? 0) > 0) packed.push(place);
    else finish(place);
  };
  /** Removes files of nodes until `isOver`, at least one; returns whether some are left. */
  const run = (isOver: () => boolean): boolean => {
    while (head < tail) {
      const place = queue[head] ?? 0;
      head += 1;
      if (isGarbage(place)) remove(place);
      if (isOver()) break;
    }
    return head < tail;
  };
  /** Nodes of a pack that was removed; gives those that no other pack has to their referrers' count. */
  const dropped = (places: Iterable<number>): void => {
    const whole: number[] = [];
    for (const place of places) {
      droppedFrom[place] = (droppedFrom[place] ?? 0) + 1;
      if (copies(place) === 0) {
        gone[place] = 1;
        whole.push(place);
      }
    }
    whole.forEach(finish);
    packed = packed.filter((place) => gone[place] === 0);
  };
  return {
    run,
    /** Nodes that could go now, and that packs have; their files, if they had some, are gone. */
    packedReady: (): readonly number[] => packed,
    dropped,
    /** How many garbage nodes refer to it. */
    referrers: (place: number): number => referrers[place] ?? 0,
    copies,
    removed: () => ({ nodes, bytes }),
    wasRemoved: (hash: Hash): boolean => gone[table.placeOf(hash)] === 1,
    /** Types of removed nodes; contains `null` if the type of one could not be read. */
    types,
  };
}

/** How many of the nodes that `isIn` refer to each of them. */
function countReferrers({ table, nodeAt }: Graph, isIn: (place: number) => boolean): Uint32Array {
  const counts = new Uint32Array(table.size());
  for (let place = 0; place < counts.length; place += 1) {
    if (!isIn(place)) continue;
    for (const to of nodeAt(place).next) if (isIn(to)) counts[to] = (counts[to] ?? 0) + 1;
  }
  return counts;
}

type SweepPacks = {
  readonly dir: string;
  readonly graph: Graph;
  readonly marker: Marker;
  readonly sweep: Sweep;
  /** Marks from the roots of this moment; `false` if nothing may be removed any more. */
  readonly recheck: () => Promise<boolean>;
  readonly options: GcOptions;
};

// A pack goes as a whole, when another one has what is to stay of it. So what it loses are nodes to which nothing refers
// but others that it loses with them. Packs of late are looked at first: they refer to older ones, seldom the other way.

/** Writes packs again without nodes that can go; the caller holds the packs. Whether one has changed. */
export async function sweepPacks(work: SweepPacks): Promise<boolean> {
  let hasChanged = false;
  const latest = [...work.graph.packs].sort((left, right) => right.mtimeMs - left.mtimeMs);
  for (const pack of latest) {
    if (!isOld(work, pack)) continue;
    const drop = dropOf(work, pack);
    if (drop.size > 0 && (await replacePack(work, pack, drop))) hasChanged = true;
  }
  return hasChanged;
}

/** Whether it is still there, and none of its nodes counts as put within the grace period. */
function isOld({ dir, options }: SweepPacks, { pack }: PackContent): boolean {
  const isThere = packsOf(dir).packs.some(({ name }) => name === pack.name);
  return isThere && fstatSync(pack.fd).mtimeMs < options.cutoff;
}

/** The nodes that a pack can lose: those that are ready, and what only those refer to. */
function dropOf({ graph, marker, sweep }: SweepPacks, pack: PackContent): Set<number> {
  const left = new Map<number, number>();
  const inside = new Set(pack.places);
  const drop = new Set<number>();
  const queue = sweep.packedReady().filter((place) => inside.has(place) && !marker.isMarked(place));
  for (const place of queue) {
    if (drop.has(place)) continue;
    drop.add(place);
    // Another pack has it too: what it refers to has to wait.
    if (sweep.copies(place) > 1) continue;
    for (const next of graph.nodeAt(place).next) {
      const count = (left.get(next) ?? sweep.referrers(next)) - 1;
      left.set(next, count);
      const canGo = inside.has(next) && next >= graph.loose && !marker.isMarked(next);
      if (count === 0 && canGo) queue.push(next);
    }
  }
  return drop;
}

async function replacePack(
  work: SweepPacks,
  { pack }: PackContent,
  drop: ReadonlySet<number>,
): Promise<boolean> {
  const { dir, graph, marker, sweep, recheck, options } = work;
  const kept = newPack(dir);
  try {
    let isReadable = true;
    const { missed } = eachPackedNode(pack, false, (hash, content) => {
      if (drop.has(graph.table.placeOf(hash))) return;
      if ("damage" in content) isReadable = false;
      else kept.add(hash, content);
    });
    // Keep a pack that is damaged, or whose index misses nodes: removing it would lose these nodes.
    if (!isReadable || missed > 0) return false;
    const made = kept.nodes() === 0 ? null : kept.finish();
    return await options.hold(async () => {
      const again = packedSince(work, made?.name ?? null);
      const isFree = (place: number): boolean =>
        !marker.isMarked(place) &&
        !again.has(place) &&
        isMissing(fsStoreFile(dir, graph.table.hashAt(place)));
      // A node that is needed since, or was put again, keeps what it reaches: so all of them stay until the next gc.
      if (!(await recheck()) || ![...drop].every(isFree)) {
        if (made !== null) removePacks(dir, [made.name]);
        return false;
      }
      removePacks(dir, [pack.name]);
      sweep.dropped(drop);
      return true;
    });
  } finally {
    kept.drop();
  }
}

/** What is in packs that came since the graph was read, but for the one that we have just made. */
function packedSince({ dir, graph }: SweepPacks, ours: string | null): ReadonlySet<number> {
  const known = new Set([ours, ...graph.packs.map(({ pack }) => pack.name)]);
  const places = new Set<number>();
  for (const pack of packsOf(dir).packs) {
    if (known.has(pack.name)) continue;
    eachEntry(pack, (bytes, at) => places.add(graph.table.placeOf(readHash(bytes, at))));
  }
  return places;
}
