import { fstatSync } from "node:fs";
import { CasError, type CasNode, type Hash } from "@uncaged/json-cas";
import { eachEntry, eachPackedNode, type OpenPack } from "./pack/index.js";
import {
  CLASH,
  checked,
  clashesIn,
  createFsStore,
  looseNodes,
  NODE_LIMIT,
  packsOf,
  readForNext,
  readNodeBytes,
  refuseBrokenPacks,
  typeIn,
} from "./store/index.js";
import { createHashTable, type HashTable } from "./table.js";

// Commands that look at every node read every file once, one after the other, and keep where the references lead as
// numbers.

export type GraphNode = {
  /** Bytes. */
  readonly size: number;
  /** `null` if that cannot be known. */
  readonly type: Hash | null;
  /** The places of its references and its type, each once, as far as they are there. */
  readonly next: readonly number[];
  /** What it refers to and what is not there. */
  readonly missing: readonly Hash[];
  /** What is wrong with it, as the end of a sentence; `null` if nothing is. */
  readonly damage: string | null;
};

/** The nodes of a folder at one moment, and what they refer to. */
export type Graph = {
  readonly table: HashTable;
  readonly nodeAt: (place: number) => GraphNode;
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
  readonly places: ReadonlySet<number>;
};

export const VANISHED = "does not exist";

/** Throws `IO_FAILED`, `UNSUPPORTED_FORMAT`, `PACK_DAMAGED`. */
export function readGraph(dir: string): Graph {
  const store = createFsStore(dir);
  const table = createHashTable();
  // Files first: what is packed meanwhile is then found in its pack.
  for (const hash of looseNodes(dir)) table.add(hash);
  const loose = table.size();
  const packs = packsOf(dir).packs.map((pack): GraphPack => {
    const places = new Set<number>();
    eachEntry(pack, (hash) => places.add(table.add(hash)));
    return { pack, mtimeMs: fstatSync(pack.fd).mtimeMs, places };
  });
  refuseBrokenPacks(dir);
  const copies = new Uint32Array(table.size());
  for (const { places } of packs) for (const place of places) copies[place] = (copies[place] ?? 0) + 1;
  const nodes: GraphNode[] = new Array(table.size());
  const add = (hash: Hash, bytes: Uint8Array | null, read: () => CasNode | null): void => {
    const outcome = readForNext(store, hash, read);
    const size = bytes?.length ?? 0;
    const place = table.placeOf(hash);
    if (outcome === "missing" || "damage" in outcome) {
      const damage = outcome === "missing" ? VANISHED : outcome.damage;
      const type = bytes === null ? null : typeIn(bytes);
      nodes[place] = { size, type, next: [], missing: [], damage };
      return;
    }
    const next = outcome.next.map(table.placeOf);
    const missing = next.includes(-1) ? outcome.next.filter((_hash, index) => next[index] === -1) : NONE;
    const there = missing === NONE ? next : next.filter((other) => other !== -1);
    nodes[place] = { size, type: outcome.type, next: there, missing, damage: null };
  };
  for (let place = 0; place < loose; place += 1) {
    const hash = table.hashAt(place);
    const found = bytesOf(dir, hash);
    add(hash, found?.bytes ?? null, () =>
      found === null ? store.get(hash) : checked(hash, found.file, found.bytes),
    );
  }
  for (const { pack } of packs) {
    eachPackedNode(pack, { longest: NODE_LIMIT, checksum: false }, (hash, content) => {
      if (nodes[table.placeOf(hash)] !== undefined) return;
      if ("reason" in content) add(hash, null, () => store.get(hash));
      else add(hash, content, () => checked(hash, pack.file, content));
    });
  }
  const isLoose = (place: number): boolean => place !== -1 && place < loose;
  const nodeAt = (place: number): GraphNode => nodes[place] as GraphNode;
  // Which of the two its referrers mean is unknown, and so what it refers to.
  const open = packs.map(({ pack }) => pack);
  for (const { hash } of clashesIn(dir, open, (one) => isLoose(table.placeOf(one)))) {
    const place = table.placeOf(hash);
    nodes[place] = { ...nodeAt(place), damage: `is damaged: ${CLASH}` };
  }
  return { table, nodeAt, isLoose, copies: (place) => copies[place] ?? 0, packs };
}

const NONE: readonly Hash[] = [];

/** `null` where the store says what is wrong. */
function bytesOf(dir: string, hash: Hash): ReturnType<typeof readNodeBytes> {
  try {
    return readNodeBytes(dir, hash);
  } catch (error) {
    if (error instanceof CasError) return null;
    throw error;
  }
}
