import { fstatSync } from "node:fs";
import { CasError, encode, type Hash } from "@uncaged/json-cas";
import {
  eachEntry,
  eachPackedNode,
  entryAt,
  type OpenPack,
  type PackWalk,
  readPackedNode,
  sha256,
} from "../pack/index.js";
import { createHashTable, type HashTable } from "../table.js";
import { fsStoreFile, looseNodes } from "./folder.js";
import { type Damage, nodeIn, orDamage, packsOf, readNodeBytes, soundBytes } from "./read.js";

/** The nodes of a folder at one moment. */
export type Inventory = {
  readonly table: HashTable;
  /** The places below this have files of their own. */
  readonly loose: number;
  /** In how many packs each is. */
  readonly copies: Uint32Array;
  readonly packs: readonly PackContent[];
};

export type PackContent = {
  readonly pack: OpenPack;
  /** When it was written: nodes in it count as put then. */
  readonly mtimeMs: number;
  /** In the order of its index. */
  readonly places: Uint32Array;
};

/** The files first: what is packed meanwhile is then found in its pack. */
export function takeInventory(dir: string): Inventory {
  const table = createHashTable(looseNodes(dir));
  const loose = table.size();
  const packs = packsOf(dir).packs.map((pack): PackContent => {
    const places = new Uint32Array(pack.nodes);
    eachEntry(pack, (bytes, at, entry) => {
      places[entry] = table.addAt(bytes, at);
    });
    return { pack, mtimeMs: fstatSync(pack.fd).mtimeMs, places };
  });
  const copies = new Uint32Array(table.size());
  for (const { places } of packs) for (const place of places) copies[place] = (copies[place] ?? 0) + 1;
  return { table, loose, copies, packs };
}

/** The hashes of all nodes. */
export function hashesNow(dir: string): HashTable {
  return takeInventory(dir).table;
}

/** A node's bytes, unchecked, which are valid until the visit returns; what is wrong with them; or `null` if it has gone. */
export type Content = Uint8Array | Damage | null;

/**
 * Visits every node once, those with files first, and gives what is wrong with the packs. `checksum`: whether those of the
 * packs are compared. Throws `IO_FAILED`.
 */
export function eachNode(
  dir: string,
  { table, loose, packs }: Inventory,
  checksum: boolean,
  visit: (place: number, hash: Hash, content: Content, file: string) => void,
): readonly PackWalk["damage"][] {
  for (let place = 0; place < loose; place += 1) {
    const hash = table.hashAt(place);
    const content = unlessUnknown(() => orDamage(() => readNodeBytes(dir, hash)?.bytes ?? null));
    visit(place, hash, content, fsStoreFile(dir, hash));
  }
  const isVisited = new Uint8Array(table.size()).fill(1, 0, loose);
  return packs.map(
    ({ pack, places }) =>
      eachPackedNode(pack, checksum, (hash, content, entry) => {
        const place = places[entry] ?? 0;
        if (isVisited[place] !== 0) return;
        isVisited[place] = 1;
        visit(place, hash, content, pack.file);
      }).damage,
  );
}

/** `null` where a pack that cannot be read, which is a problem of its own, leaves it unknown what is there. */
export function unlessUnknown<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if (error instanceof CasError && error.fault.code === "PACK_DAMAGED") return null;
    throw error;
  }
}

// One hash with two contents is no accident. `put` and an import refuse the second one; here it is found where somebody has
// written into the folder.

/** A sound node in a pack, where an earlier pack, or the node's own file, has different content under its hash. */
export type Clash = { readonly hash: Hash; readonly packs: readonly [OpenPack, ...OpenPack[]] };

/** What is wrong with each of the two. */
export const CLASH = "another copy with the same hash has different content";

/** Reads only nodes that are there more than once. System errors pass through. */
export function clashesIn(dir: string, { table, loose, copies, packs }: Inventory): readonly Clash[] {
  const isRepeated = (place: number): boolean => (copies[place] ?? 0) > (place < loose ? 0 : 1);
  const first = new Map<Hash, { readonly digest: string; readonly pack: OpenPack | null }>();
  const clashes: Clash[] = [];
  for (const { pack, places } of packs) {
    if (!places.some(isRepeated)) continue;
    eachEntry(pack, (bytes, at, entry) => {
      const place = places[entry] ?? 0;
      if (!isRepeated(place)) return;
      const hash = table.hashAt(place);
      if (place < loose && !first.has(hash)) {
        const own = digestOf(hash, soundBytes(dir, hash));
        if (own !== null) first.set(hash, { digest: own, pack: null });
      }
      const digest = digestOf(hash, readPackedNode({ pack, ...entryAt(bytes, at) }, hash));
      const before = first.get(hash);
      if (digest === null) return;
      if (before === undefined) first.set(hash, { digest, pack });
      else if (before.digest !== digest)
        clashes.push({ hash, packs: before.pack === null ? [pack] : [pack, before.pack] });
    });
  }
  return clashes;
}

/** Of type and payload: the time of the first put is not what a node says. `null` for what is damaged. */
function digestOf(hash: Hash, content: Content): string | null {
  const node = content === null ? null : nodeIn(hash, content);
  if (node === null || "damage" in node) return null;
  const sum = sha256();
  sum.update(node.type);
  sum.update(encode(node.payload));
  return sum.digest().toString("hex");
}
