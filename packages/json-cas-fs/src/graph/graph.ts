import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { CasError, type Hash } from "@uncaged/json-cas";
import { errnoOf, READ_PLAIN } from "../files/index.js";
import { hashOfHalves, highAt, highOf, lowAt, lowOf } from "../halves.js";
import { eachEntry, eachPackedNode, type OpenPack } from "../pack/index.js";
import { typeIn } from "../plain.js";
import {
  CLASH,
  clashesIn,
  createFsStore,
  fsStoreFile,
  looseNodes,
  NODE_LIMIT,
  packsOf,
} from "../store/index.js";
import { createHashTable, type GrowingTable, type HashTable } from "../table.js";
import { createQuickReader } from "./quick-read.js";

// Commands that look at every node read every file once, one after the other, and keep where the references lead as
// numbers.

/** The nodes of a folder at one moment, and what they refer to. Up to 44 bytes per node, and 4 per reference. */
export type Graph = {
  readonly table: HashTable;
  /** Bytes of the node. */
  readonly sizeAt: (place: number) => number;
  /** Its type's place; -1 if that is not known or not there. */
  readonly typeAt: (place: number) => number;
  readonly typeOf: (place: number) => Hash | null;
  /** Where it leads: its references and its type, as far as they are there. */
  readonly next: (place: number) => Uint32Array;
  /** What it refers to and what is not there. */
  readonly missing: (place: number) => ReadonlySet<Hash>;
  /** What is wrong with it, as the end of a sentence; `null` if nothing is. */
  readonly damage: (place: number) => string | null;
  /** Whether it had a file of its own. */
  readonly isLoose: (place: number) => boolean;
  /** How many packs have it. */
  readonly copies: (place: number) => number;
  readonly packs: readonly GraphPack[];
};

export type GraphPack = {
  readonly pack: OpenPack;
  /** When it was written: nodes in it count as put then. */
  readonly mtimeMs: number;
  readonly places: () => Uint32Array;
};

const NONE: ReadonlySet<Hash> = new Set();

/** Without `hashed` a node is not hashed if it has the form of its type: what is damaged in its texts stays unnoticed. */
export function readGraph(dir: string, options: { readonly hashed: boolean }): Graph {
  const store = createFsStore(dir);
  const table = tableFor(dir);
  // Files first: what is packed meanwhile is then found in its pack.
  for (const hash of looseNodes(dir)) table.add(hash);
  const loose = table.size();
  const { packs, broken, read } = packsOf(dir);
  const [unreadable] = broken();
  if (unreadable !== undefined)
    throw new CasError({ code: "PACK_DAMAGED", file: unreadable.file, reason: unreadable.reason });
  for (const pack of packs) eachEntry(pack, table.addHalves);
  const size = table.size();
  const [sizes, starts, counts, types, isRead, copies] = [
    new Uint32Array(size),
    new Float64Array(size),
    new Uint32Array(size),
    new Int32Array(size).fill(-1),
    new Uint8Array(size),
    new Uint8Array(size),
  ];
  const strangeTypes = new Map<number, Hash>();
  const damage = new Map<number, string>();
  const missing = new Map<number, Set<Hash>>();
  // The last node that was found to lead to each, so that it leads there once however often it says so.
  const ledFrom = new Int32Array(size).fill(-1);
  let edges = new Uint32Array(4096);
  let used = 0;
  const quick = createQuickReader(store, options);
  const lead = (place: number, high: number, low: number): void => {
    const next = table.placeOfHalves(high, low);
    if (next === place) return;
    if (next === -1) {
      const those = missing.get(place) ?? new Set();
      missing.set(place, those.add(hashOfHalves(high, low)));
      return;
    }
    if (ledFrom[next] === place) return;
    ledFrom[next] = place;
    if (used === edges.length) {
      const larger = new Uint32Array(used * 2);
      larger.set(edges);
      edges = larger;
    }
    edges[used] = next;
    used += 1;
  };
  const keep = (place: number, bytes: Buffer | null): void => {
    const outcome = quick(table.highAt(place), table.lowAt(place), bytes);
    isRead[place] = 1;
    sizes[place] = bytes?.length ?? 0;
    starts[place] = used;
    if (outcome === "missing" || "damage" in outcome) {
      damage.set(place, outcome === "missing" ? VANISHED : outcome.damage);
      const type = typeIn(bytes);
      if (type !== null) strangeTypes.set(place, type);
      return;
    }
    const type = table.placeOf(outcome.type);
    if (type === -1) strangeTypes.set(place, outcome.type);
    types[place] = type;
    if ("next" in outcome) for (const hash of outcome.next) lead(place, highOf(hash), lowOf(hash));
    else if (bytes !== null) {
      for (const at of outcome.places) lead(place, highAt(bytes, at), lowAt(bytes, at));
      lead(place, highOf(outcome.type), lowOf(outcome.type));
    }
    counts[place] = used - (starts[place] ?? 0);
  };
  for (let place = 0; place < loose; place += 1) {
    keep(place, readSmall(fsStoreFile(dir, table.hashAt(place))));
  }
  for (const pack of packs) {
    eachPackedNode(pack, { longest: NODE_LIMIT, seal: null, read }, (high, low, content) => {
      const place = table.placeOfHalves(high, low);
      copies[place] = (copies[place] ?? 0) + 1;
      if (isRead[place] === 1) return;
      keep(place, "reason" in content ? null : content);
    });
  }
  const isLoose = (high: number, low: number): boolean => {
    const place = table.placeOfHalves(high, low);
    return place !== -1 && place < loose;
  };
  // Which of the two its referrers mean is unknown, and so what it refers to.
  if (options.hashed)
    for (const { hash } of clashesIn(dir, packs, read, isLoose))
      damage.set(table.placeOf(hash), `is damaged: ${CLASH}`);
  const graphPacks = packs.map((pack): GraphPack => {
    const places = (): Uint32Array => {
      const found = new Uint32Array(pack.nodes);
      let at = 0;
      eachEntry(pack, (high, low) => {
        found[at] = table.placeOfHalves(high, low);
        at += 1;
      });
      return found;
    };
    return { pack, mtimeMs: fstatSync(pack.fd).mtimeMs, places };
  });
  return {
    table,
    sizeAt: (place) => sizes[place] ?? 0,
    typeAt: (place) => types[place] ?? -1,
    typeOf: (place) => {
      const type = types[place] ?? -1;
      return type === -1 ? (strangeTypes.get(place) ?? null) : table.hashAt(type);
    },
    next: (place) => edges.subarray(starts[place] ?? 0, (starts[place] ?? 0) + (counts[place] ?? 0)),
    missing: (place) => missing.get(place) ?? NONE,
    damage: (place) => damage.get(place) ?? null,
    isLoose: (place) => place < loose,
    copies: (place) => copies[place] ?? 0,
    packs: graphPacks,
  };
}

export const VANISHED = "does not exist";

/** The content of a node's file; `null` where a closer look is needed. */
function readSmall(file: string): Buffer | null {
  let fd = -1;
  try {
    fd = openSync(file, READ_PLAIN);
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > NODE_LIMIT) return null;
    const bytes = Buffer.allocUnsafe(stat.size);
    return readSync(fd, bytes, 0, bytes.length, 0) === bytes.length ? bytes : null;
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  } finally {
    if (fd !== -1) closeSync(fd);
  }
}

/** How many of the nodes that `isIn` refer to each of them: 4 bytes per node. */
export function countReferrers({ table, next }: Graph, isIn: (place: number) => boolean): Uint32Array {
  const counts = new Uint32Array(table.size());
  for (let place = 0; place < counts.length; place += 1) {
    if (!isIn(place)) continue;
    for (const to of next(place)) if (isIn(to)) counts[to] = (counts[to] ?? 0) + 1;
  }
  return counts;
}

/** With room for what is in the packs. */
function tableFor(dir: string): GrowingTable {
  return createHashTable(packsOf(dir).packs.reduce((sum, { nodes }) => sum + nodes, 0));
}

/** The nodes of a folder at this moment, those in packs included. */
export function hashesNow(dir: string): HashTable {
  const table = tableFor(dir);
  for (const hash of looseNodes(dir)) table.add(hash);
  for (const pack of packsOf(dir).packs) eachEntry(pack, table.addHalves);
  return table;
}
