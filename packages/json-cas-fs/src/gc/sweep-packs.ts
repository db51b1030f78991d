import { fstatSync } from "node:fs";
import { isMissing } from "../files/index.js";
import type { Graph } from "../graph.js";
import type { Marker } from "../marker.js";
import { eachEntry, eachPackedNode, newPack, removePacks } from "../pack/index.js";
import { fsStoreFile, type PackContent, packsOf } from "../store/index.js";
import type { Sweep } from "./sweep.js";
import type { GcOptions } from "./types.js";

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
    eachEntry(pack, (hash) => places.add(graph.table.placeOf(hash)));
  }
  return places;
}
