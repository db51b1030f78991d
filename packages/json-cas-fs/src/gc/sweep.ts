import type { Hash } from "@uncaged/json-cas";
import type { Graph } from "../graph.js";
import type { Marker } from "../marker.js";
import { moveToTrash } from "../store/index.js";

// A node is removed only after every node that refers to it: whenever gc dies, no remaining node refers to a
// removed one. And a node that turns out to be needed keeps what it reaches.

export type Sweep = {
  /** Removes files of nodes until `isOver`, at least one; returns whether some are left. */
  readonly run: (isOver: () => boolean) => boolean;
  /** Nodes that could go now, and that packs have; their files, if they had some, are gone. */
  readonly packedReady: () => readonly number[];
  /** Nodes of a pack that was removed; gives those that no other pack has to their referrers' count. */
  readonly dropped: (places: Iterable<number>) => void;
  /** How many garbage nodes refer to it. */
  readonly referrers: (place: number) => number;
  /** How many packs still have it. */
  readonly copies: (place: number) => number;
  readonly removed: () => { readonly nodes: number; readonly bytes: number };
  readonly wasRemoved: (hash: Hash) => boolean;
  /** Types of removed nodes; contains `null` if the type of one could not be read. */
  readonly types: ReadonlySet<Hash | null>;
};

export type SweepOptions = {
  readonly dir: string;
  readonly graph: Graph;
  readonly marker: Marker;
  readonly cutoff: number;
  readonly tell: (hash: Hash) => void;
};

/** Prepares to remove what is not marked; nodes marked later stay. */
export function createSweep({ dir, graph, marker, cutoff, tell }: SweepOptions): Sweep {
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
  const copies = (place: number): number => (graph.copies[place] ?? 0) - (droppedFrom[place] ?? 0);
  const remove = (place: number): void => {
    const hasGone = place >= graph.loose || moveToTrash(dir, table.hashAt(place), cutoff) !== null;
    if (!hasGone) return;
    if ((graph.copies[place] ?? 0) > 0) packed.push(place);
    else finish(place);
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
    packedReady: () => packed,
    dropped,
    referrers: (place) => referrers[place] ?? 0,
    copies,
    removed: () => ({ nodes, bytes }),
    wasRemoved: (hash) => gone[table.placeOf(hash)] === 1,
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
