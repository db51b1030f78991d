import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import {
  CasError,
  type CasNode,
  FOREIGN_ROOTS,
  HASH_LENGTH,
  type Hash,
  hashBytes,
  isHash,
  META_SCHEMA_HASH,
  refs,
  refsInBytes,
  type Store,
} from "@uncaged/json-cas";
import { errnoOf, READ_PLAIN } from "./files/index.js";
import { eachEntry, eachPackedNode, type OpenPack } from "./pack/index.js";
import { createFsStore, fsStoreFile, looseNodes, NODE_LIMIT, packsOf } from "./store/index.js";
import { createHashTable, type HashTable } from "./table.js";

/**
 * Whether a node is a schema whose type the original program hashed in its own way, so that nobody can read that
 * type: such a schema has no references and is accepted as it is.
 */
export function isForeignSchema(store: Pick<Store, "get">, { type }: CasNode): boolean {
  if (!FOREIGN_ROOTS.has(type)) return false;
  try {
    return store.get(type) === null;
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "NODE_DAMAGED") return true;
    throw error;
  }
}

/** Why it is unknown what a node reaches. */
export type Trouble = {
  readonly kind: "missing" | "damaged";
  readonly hash: Hash;
  /** The node that refers to it; `null` for a root. */
  readonly referrer: Hash | null;
  /** What is wrong, as the end of a sentence about the node. */
  readonly message: string;
};

/** A node and its references. */
type ReadNode = {
  readonly type: Hash;
  /** Its references and its type, each once, itself never. */
  readonly next: readonly Hash[];
};

type NodeOutcome = ReadNode | "missing" | { readonly damage: string };

/**
 * Reads a node for its references. Throws errors that do not concern the node itself: `IO_FAILED`,
 * `UNSUPPORTED_FORMAT`, `PACK_DAMAGED`.
 */
export function readForNext(store: Pick<Store, "get">, hash: Hash): NodeOutcome {
  try {
    const node = store.get(hash);
    return node === null ? "missing" : nextOf(store, hash, node);
  } catch (error) {
    return { damage: damageIn(error, hash) };
  }
}

function nextOf(store: Pick<Store, "get">, hash: Hash, node: CasNode): ReadNode {
  if (isForeignSchema(store, node)) return { type: node.type, next: [] };
  const next = new Set([...refs(store, node), node.type]);
  next.delete(hash);
  return { type: node.type, next: [...next] };
}

function damageIn(error: unknown, hash: Hash): string {
  if (!(error instanceof CasError)) throw error;
  const { fault } = error;
  switch (fault.code) {
    case "NODE_DAMAGED":
      return fault.hash === hash
        ? `is damaged: ${fault.reason}`
        : `has the type ${fault.hash}, which is damaged`;
    case "UNKNOWN_TYPE":
      return `has the type ${fault.type}, which is not a schema in this store`;
    case "INVALID_SCHEMA":
      return "has a type whose references cannot be followed";
    default:
      throw error;
  }
}

// Commands that look at every node read every file once, one after the other, and keep where the references lead as
// numbers. Of most nodes the bytes say all there is to know: their hash fits, so they are what was put; and a reference
// is a text of 13 characters, of which they have none.

/** The nodes of a folder at one moment, and what they refer to. Up to 40 bytes per node, and 4 per reference. */
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
  readonly missing: (place: number) => readonly Hash[];
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

const NONE: readonly Hash[] = [];

export function readGraph(dir: string): Graph {
  const store = createFsStore(dir);
  const table = createHashTable();
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
  const missing = new Map<number, Hash[]>();
  let edges = new Uint32Array(4096);
  let used = 0;
  const quick = createQuickReader(store);
  const keep = (place: number, bytes: Buffer | null): void => {
    const outcome = quick(table.hashAt(place), bytes);
    isRead[place] = 1;
    sizes[place] = bytes?.length ?? 0;
    starts[place] = used;
    if (outcome === "missing" || "damage" in outcome) {
      damage.set(place, outcome === "missing" ? VANISHED : outcome.damage);
      const type = bytes?.toString("latin1", HEAD.length, TYPE_END);
      if (isHash(type)) strangeTypes.set(place, type);
      return;
    }
    const type = table.placeOf(outcome.type);
    if (type === -1) strangeTypes.set(place, outcome.type);
    types[place] = type;
    for (const hash of outcome.next) {
      const next = table.placeOf(hash);
      if (next === -1) {
        missing.set(place, [...(missing.get(place) ?? NONE), hash]);
        continue;
      }
      if (used === edges.length) {
        const larger = new Uint32Array(used * 2);
        larger.set(edges);
        edges = larger;
      }
      edges[used] = next;
      used += 1;
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

const VANISHED = "does not exist";

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

type QuickReader = (hash: Hash, bytes: Buffer | null) => NodeOutcome;

/** `readForNext` of bytes that were read already; for what is not plain it asks the store. */
function createQuickReader(store: Store): QuickReader {
  // Types of which a node was read the long way, so that their schemas are known to be there.
  const known = new Set<Hash>();
  return (hash, bytes) => {
    const plain = bytes === null ? null : plainNode(bytes);
    if (bytes === null || plain === null || !known.has(plain.type)) {
      const outcome = readForNext(store, hash);
      if (outcome !== "missing" && !("damage" in outcome) && !FOREIGN_ROOTS.has(outcome.type))
        known.add(outcome.type);
      return outcome;
    }
    const { type } = plain;
    if (hashOfPlain(bytes, plain) !== hash) return readForNext(store, hash);
    if (!mayRefer(bytes, plain.start, plain.end)) return { type, next: type === hash ? [] : [type] };
    const found = refsInBytes(store, type, bytes.subarray(plain.start, plain.end));
    if (found === null) return readForNext(store, hash);
    return { type, next: [...found.filter((reference) => reference !== type && reference !== hash), type] };
  };
}

type PlainNode = { readonly type: Hash; readonly start: number; readonly end: number };

// a3 64 type 6d <13 characters> 67 payload <payload> 69 timestamp 1b <8 bytes>
const HEAD = Buffer.from("\xa3\x64type\x6d", "latin1");
const BEFORE_PAYLOAD = Buffer.from("\x67payload", "latin1");
const TAIL = Buffer.from("\x69timestamp\x1b", "latin1");
const TYPE_END = HEAD.length + HASH_LENGTH;
const PAYLOAD_AT = TYPE_END + BEFORE_PAYLOAD.length;
const TAIL_LENGTH = TAIL.length + 8;

/** Where the type and the payload are in the bytes of a node as they mostly are; `null` for any other. */
function plainNode(bytes: Buffer): PlainNode | null {
  const end = bytes.length - TAIL_LENGTH;
  const isPlain =
    end > PAYLOAD_AT &&
    isAt(bytes, 0, HEAD) &&
    isAt(bytes, TYPE_END, BEFORE_PAYLOAD) &&
    isAt(bytes, end, TAIL);
  if (!isPlain) return null;
  if (!isAt(bytes, HEAD.length, last.bytes)) {
    const type = bytes.toString("latin1", HEAD.length, TYPE_END);
    if (!isHash(type)) return null;
    last = { type, bytes: Buffer.from(type) };
  }
  return { type: last.type, start: PAYLOAD_AT, end };
}

/** Neighbours often have one type. */
let last = { type: META_SCHEMA_HASH, bytes: Buffer.from(META_SCHEMA_HASH) };

function isAt(bytes: Uint8Array, start: number, wanted: Uint8Array): boolean {
  for (let index = 0; index < wanted.length; index += 1)
    if (bytes[start + index] !== wanted[index]) return false;
  return true;
}

let scratch = Buffer.alloc(64 * 1024);

/** The hash of a node that is not its own type. */
function hashOfPlain(bytes: Buffer, { start, end }: PlainNode): Hash {
  const length = HASH_LENGTH + end - start;
  if (length > scratch.length) scratch = Buffer.alloc(length * 2);
  bytes.copy(scratch, 0, HEAD.length, TYPE_END);
  bytes.copy(scratch, HASH_LENGTH, start, end);
  return hashBytes(scratch.subarray(0, length));
}

const TEXT_OF_13 = 0x6d;

/** Whether there may be a reference: a text of 13 characters of a hash. */
function mayRefer(bytes: Buffer, start: number, end: number): boolean {
  for (let at = bytes.indexOf(TEXT_OF_13, start); at !== -1 && at + HASH_LENGTH < end; ) {
    let length = 0;
    while (length < HASH_LENGTH && IN_HASH[bytes[at + 1 + length] ?? 0] === 1) length += 1;
    if (length === HASH_LENGTH) return true;
    at = bytes.indexOf(TEXT_OF_13, at + 1);
  }
  return false;
}

/** Character code → 1 for the characters of a hash. */
const IN_HASH = new Uint8Array(256);
for (const character of "0123456789ABCDEFGHJKMNPQRSTVWXYZ") IN_HASH[character.charCodeAt(0)] = 1;

/** Marks what can be reached; 5 bytes per node. */
export type Marker = {
  /** Marks a node and everything that it reaches through references and types. Nothing is visited twice. */
  readonly mark: (root: Hash, tell: (trouble: Trouble) => void) => void;
  readonly isMarked: (place: number) => boolean;
  /** Nodes of the table that are marked. */
  readonly count: () => number;
};

export function createMarker(store: Store, graph: Graph): Marker {
  const { table } = graph;
  const marked = new Uint8Array(table.size());
  // Every place is queued once, so the queue never needs more; it is kept from root to root.
  const queue = new Uint32Array(table.size());
  let [head, tail] = [0, 0];
  // Nodes that came after the graph was read: few.
  const later = new Set<Hash>();
  const laterQueue: Hash[] = [];

  const pushPlace = (place: number): void => {
    if (marked[place] === 1) return;
    marked[place] = 1;
    queue[tail] = place;
    tail += 1;
  };
  const push = (hash: Hash): boolean => {
    const place = table.placeOf(hash);
    if (place !== -1) {
      pushPlace(place);
      return true;
    }
    if (later.has(hash)) return true;
    if (!isThere(store, hash)) return false;
    later.add(hash);
    laterQueue.push(hash);
    return true;
  };
  const visit = (place: number, tell: (trouble: Trouble) => void): void => {
    const damage = graph.damage(place);
    if (damage !== null) {
      const kind = damage === VANISHED ? "missing" : "damaged";
      tell({ kind, hash: table.hashAt(place), referrer: null, message: damage });
      return;
    }
    for (const next of graph.next(place)) pushPlace(next);
    for (const hash of graph.missing(place)) if (!push(hash)) tell(missing(hash, table.hashAt(place)));
  };
  const visitLater = (hash: Hash, tell: (trouble: Trouble) => void): void => {
    const found = readForNext(store, hash);
    if (found === "missing") tell(missing(hash, null));
    else if ("damage" in found) tell({ kind: "damaged", hash, referrer: null, message: found.damage });
    else for (const next of found.next) if (!push(next)) tell(missing(next, hash));
  };
  const mark = (root: Hash, tell: (trouble: Trouble) => void): void => {
    if (!push(root)) tell(missing(root, null));
    for (;;) {
      for (; head < tail; head += 1) visit(queue[head] ?? 0, tell);
      const hash = laterQueue.pop();
      if (hash === undefined) return;
      visitLater(hash, tell);
    }
  };
  return { mark, isMarked: (place) => marked[place] === 1, count: () => tail };
}

/** An entry that is not a file is damage, which is reported when it is read. */
function isThere(store: Store, hash: Hash): boolean {
  try {
    return store.has(hash);
  } catch {
    return true;
  }
}

function missing(hash: Hash, referrer: Hash | null): Trouble {
  return { kind: "missing", hash, referrer, message: VANISHED };
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

/** The nodes of a folder at this moment, those in packs included. */
export function hashesNow(dir: string): HashTable {
  const table = createHashTable();
  for (const hash of looseNodes(dir)) table.add(hash);
  for (const pack of packsOf(dir).packs) eachEntry(pack, table.addHalves);
  return table;
}
