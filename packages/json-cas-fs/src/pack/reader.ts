import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readSync } from "node:fs";
import {
  bucketOf,
  ENTRY_LENGTH,
  entriesAt,
  INDEX_HEAD,
  INDEX_MAGIC,
  indexLength,
  LARGEST_BUCKET,
  LONGEST_NODE,
  MAGIC_LENGTH,
  MOST_BITS,
  numberAt,
  PACK_MAGIC,
  packDir,
  packFile,
  packIndexFile,
  packNameOf,
  RECORD_HEAD,
  SEAL_LENGTH,
  SHA_LENGTH,
  SIZE_AT,
} from "./format.js";

// How a packed node is found. Bundles have this file apart (scripts/bins/libraries.ts), and a process loads it when a
// node has no file of its own and there are packs. So it imports nothing but constants.
//
// Packs are immutable, but come and go while we read. An old list is good as long as it answers: a pack that was taken
// away shows it (it has no name left), and before a node counts as missing the folder is listed until it says the same
// twice in a row: reading a folder while names change may miss one that is there all the time.

/** A pack whose index was opened and fits. */
export type OpenPack = {
  readonly name: string;
  readonly file: string;
  readonly indexFile: string;
  /** Descriptors, open as long as the reader knows the pack. */
  readonly fd: number;
  readonly indexFd: number;
  readonly nodes: number;
  readonly bits: number;
  /** Bytes. */
  readonly size: number;
  readonly sha256: Uint8Array;
};

/** A pack of which it is unknown what it has in it. */
export type BrokenPack = { readonly name: string; readonly file: string; readonly reason: string };

/** Where a node is. */
export type PackLocation = { readonly pack: OpenPack; readonly offset: number; readonly length: number };

export type PackLookup =
  | { readonly kind: "node"; readonly bytes: Uint8Array; readonly file: string }
  /** Its pack says where it is, and it is not there. */
  | { readonly kind: "damaged"; readonly file: string; readonly reason: string };

export type PackReader = {
  /** By halves of the hash; `null` if no sound pack has it. */
  readonly find: (high: number, low: number) => PackLocation | null;
  /** Whether a pack that was there at the last listing has it. For nodes that mostly are new. */
  readonly isKnown: (high: number, low: number) => boolean;
  /** Packs that make it unknown whether a node that was not found is there. Checks each index once. */
  readonly broken: () => readonly BrokenPack[];
  readonly read: (place: PackLocation, high: number, low: number) => PackLookup;
  /** Those that there are now, by name. */
  readonly packs: () => readonly OpenPack[];
  /** Closes all packs: the next read opens and checks its pack again. No read may be under way. */
  readonly forget: () => void;
};

/** XXH64, written like a hash. */
export type Seal = (bytes: Uint8Array) => string;

const readers = new Map<string, PackReader>();

/** One reader for each folder and process: it holds two descriptors for each pack. Throws system errors. */
export function packReaderOf(dir: string, seal: Seal): PackReader {
  const known = readers.get(dir);
  if (known !== undefined) return known;
  const reader = createPackReader(dir, seal);
  readers.set(dir, reader);
  return reader;
}

function createPackReader(dir: string, seal: Seal): PackReader {
  let open: ReadonlyMap<string, OpenPack> = new Map();
  let failed: readonly BrokenPack[] = [];
  /** The names of the last listing. */
  let names: string | null = null;
  /** Where the last node was. */
  let last: OpenPack | null = null;
  let filter: Filter | null = null;
  const checked = new WeakMap<OpenPack, string | null>();
  // A read of one may be under way, so it is closed much later, if the process lives that long.
  const retired: OpenPack[] = [];
  const retire = (pack: OpenPack): void => {
    retired.push(pack);
    if (retired.length > MOST_RETIRED) closePack(retired.shift() ?? pack);
  };

  /** Lists the folder; whether it differs from the listing before. */
  const list = (): boolean => {
    const before = names;
    const found = listPacks(dir);
    names = found.join();
    if (names === before && failed.length === 0) return false;
    const next = new Map<string, OpenPack>();
    const broken: BrokenPack[] = [];
    for (const name of found) {
      const known = open.get(name);
      const pack = known !== undefined && isNamed(known) ? known : openPack(dir, name);
      if (pack === "gone") names = "changed";
      else if ("reason" in pack) broken.push(pack);
      else next.set(name, pack);
    }
    for (const pack of open.values()) if (next.get(pack.name) !== pack) retire(pack);
    open = next;
    failed = broken;
    [last, filter] = [null, null];
    return names !== before;
  };
  const look = (high: number, low: number): PackLocation | null => {
    // What belongs together was written together.
    const place = (last === null ? null : findInPack(last, high, low)) ?? findInPacks(open, last, high, low);
    if (place === null || isNamed(place.pack)) {
      last = place?.pack ?? last;
      return place;
    }
    // Read again from the new ones, or missing: gc has taken it away.
    [names, last] = [null, null];
    return null;
  };
  const find = (high: number, low: number): PackLocation | null => {
    for (let round = 0; ; round += 1) {
      const place = look(high, low);
      if (place !== null) return place;
      if (!list() || round > MOST_ROUNDS) return look(high, low);
    }
  };
  const isKnown = (high: number, low: number): boolean => {
    if (names === null) return find(high, low) !== null;
    filter ??= filterOf([...open.values()]);
    const maybe = filter.mayHave(high) ? [...open.values()] : filter.others;
    return maybe.some((pack) => findInPack(pack, high, low) !== null) && find(high, low) !== null;
  };
  const brokenIndex = (pack: OpenPack): readonly BrokenPack[] => {
    const known = checked.get(pack);
    const reason = known === undefined ? indexDamage(pack, seal) : known;
    checked.set(pack, reason);
    return reason === null ? [] : [{ name: pack.name, file: pack.indexFile, reason }];
  };
  return {
    find,
    isKnown,
    broken: () => [...failed, ...[...open.values()].flatMap(brokenIndex)],
    read: readNodeAt,
    forget: () => {
      for (const pack of [...open.values(), ...retired.splice(0)]) closePack(pack);
      open = new Map();
      failed = [];
      [names, last, filter] = [null, null, null];
    },
    packs: () => {
      for (let round = 0; list() && round < MOST_ROUNDS; round += 1);
      return [...open.values()];
    },
  };
}

/** Packs that are gone and still open. */
const MOST_RETIRED = 32;

/** Packs come by the day, not by the millisecond; this only bounds the loop. */
const MOST_ROUNDS = 100;

/** The names of the packs in a folder, sorted; none if it is missing. */
function listPacks(dir: string): readonly string[] {
  try {
    return readdirSync(packDir(dir))
      .flatMap((file) => {
        const found = packNameOf(file);
        return found?.kind === "pack" ? [found.name] : [];
      })
      .sort();
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Whether its file still has a name: gc, or another process that packs, may have taken it away. */
function isNamed({ fd }: OpenPack): boolean {
  return fstatSync(fd).nlink > 0;
}

function closePack({ fd, indexFd }: OpenPack): void {
  closeSync(fd);
  closeSync(indexFd);
}

/** Reads only the beginning of both files; the rest is checked once a node was not found. */
function openPack(dir: string, name: string): OpenPack | BrokenPack | "gone" {
  const file = packFile(dir, name);
  const indexFile = packIndexFile(dir, name);
  const fd = openPlain(file);
  if (fd === null) return "gone";
  if (typeof fd === "string") return { name, file, reason: fd };
  const indexFd = openPlain(indexFile);
  if (typeof indexFd === "number") {
    const pack = readHeads({ name, file, indexFile, fd, indexFd });
    if ("reason" in pack) closeSync(indexFd);
    else return pack;
    closeSync(fd);
    return pack;
  }
  closeSync(fd);
  if (indexFd !== null) return { name, file: indexFile, reason: indexFd };
  // A pack loses its index after its own name.
  const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  return isThere ? { name, file: indexFile, reason: "it is missing" } : "gone";
}

type Opened = Pick<OpenPack, "name" | "file" | "indexFile" | "fd" | "indexFd">;

function readHeads(opened: Opened): OpenPack | BrokenPack {
  const { name, file, indexFile, fd, indexFd } = opened;
  const bad = (which: string, reason: string): BrokenPack => ({ name, file: which, reason });
  const [stat, indexStat] = [fstatSync(fd), fstatSync(indexFd)];
  if (!stat.isFile()) return bad(file, "it is not a regular file");
  if (!indexStat.isFile()) return bad(indexFile, "it is not a regular file");
  const magic = readAt(fd, MAGIC_LENGTH, 0);
  if (magic?.toString("latin1") !== PACK_MAGIC) return bad(file, "it is not a pack of this version");
  const head = readAt(indexFd, INDEX_HEAD, 0);
  if (head?.toString("latin1", 0, MAGIC_LENGTH) !== INDEX_MAGIC)
    return bad(indexFile, "it is not an index of this version");
  const size = head.readUInt32BE(SIZE_AT) * 2 ** 32 + head.readUInt32BE(SIZE_AT + 4);
  const [nodes, bits] = [head.readUInt32BE(SIZE_AT + 8), head.readUInt32BE(SIZE_AT + 12)];
  if (bits > MOST_BITS || indexStat.size !== indexLength(nodes, bits))
    return bad(indexFile, `it has ${indexStat.size} bytes, which its beginning does not fit`);
  if (size !== stat.size) return bad(file, `it has ${stat.size} bytes, its index says ${size}`);
  const sha256 = head.subarray(MAGIC_LENGTH, MAGIC_LENGTH + SHA_LENGTH);
  return { ...opened, nodes, bits, size, sha256 };
}

/** A descriptor; `null` if there is nothing, a sentence if it is no file. */
function openPlain(file: string): number | string | null {
  try {
    return openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT") return null;
    if (code === "ELOOP" || code === "ENXIO") return "it is not a regular file";
    throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** `null` if the file ends before. */
function readAt(fd: number, length: number, at: number): Buffer | null {
  const bytes = Buffer.allocUnsafe(length);
  for (let done = 0; done < length; ) {
    const read = readSync(fd, bytes, done, length - done, at + done);
    if (read === 0) return null;
    done += read;
  }
  return bytes;
}

function findInPack(pack: OpenPack, high: number, low: number): PackLocation | null {
  const small = smallIndex(pack);
  if (small !== null) {
    const at = entryIn(small, pack, high, low);
    return at === -1 ? null : placeAt(pack, small, at);
  }
  const { bits, nodes } = pack;
  const range = readAt(pack.indexFd, 8, INDEX_HEAD + bucketOf(high, bits) * 4);
  const [first, end] = [range?.readUInt32BE(0) ?? 0, range?.readUInt32BE(4) ?? 0];
  if (isNoBucket(first, end, nodes)) return null;
  const start = entriesAt(bits) + first * ENTRY_LENGTH;
  const entries = readAt(pack.indexFd, (end - first) * ENTRY_LENGTH, start);
  const at = entries === null ? -1 : entryBetween(entries, 0, entries.length, high, low);
  return entries === null || at === -1 ? null : placeAt(pack, entries, at);
}

/** An index that lies here is found out by its seal. */
function isNoBucket(first: number, end: number, nodes: number): boolean {
  return end <= first || end > nodes || end - first > LARGEST_BUCKET;
}

/** Where the entry of a hash begins in a whole index; -1 if it has none. */
export function entryIn(
  index: Buffer,
  { bits, nodes }: Pick<OpenPack, "bits" | "nodes">,
  high: number,
  low: number,
): number {
  const at = INDEX_HEAD + bucketOf(high, bits) * 4;
  const [first, end] = [numberAt(index, at), numberAt(index, at + 4)];
  if (isNoBucket(first, end, nodes)) return -1;
  const start = entriesAt(bits);
  return entryBetween(index, start + first * ENTRY_LENGTH, start + end * ENTRY_LENGTH, high, low);
}

/** The same among entries from byte `start` to `end`; they are sorted. */
function entryBetween(entries: Buffer, start: number, end: number, high: number, low: number): number {
  let [first, last] = [0, (end - start) / ENTRY_LENGTH - 1];
  while (first <= last) {
    const middle = (first + last) >>> 1;
    const at = start + middle * ENTRY_LENGTH;
    const order = numberAt(entries, at) - high || numberAt(entries, at + 4) - low;
    if (order === 0) return at;
    if (order < 0) first = middle + 1;
    else last = middle - 1;
  }
  return -1;
}

function placeAt(pack: OpenPack, entries: Buffer, at: number): PackLocation {
  const offset = entries.readUInt32BE(at + 8) * 2 ** 32 + entries.readUInt32BE(at + 12);
  return { pack, offset, length: entries.readUInt32BE(at + 16) };
}

/** Nodes of a pack whose whole index is read at once. */
const SMALL_PACK = 2048;

const smallIndexes = new WeakMap<OpenPack, Buffer>();

/** `null` for one that is not small. */
function smallIndex(pack: OpenPack): Buffer | null {
  if (pack.nodes > SMALL_PACK) return null;
  const known = smallIndexes.get(pack) ?? readIndex(pack);
  if (known !== null) smallIndexes.set(pack, known);
  return known;
}

function findInPacks(
  packs: ReadonlyMap<string, OpenPack>,
  except: OpenPack | null,
  high: number,
  low: number,
): PackLocation | null {
  for (const pack of packs.values()) {
    const place = pack === except ? null : findInPack(pack, high, low);
    if (place !== null) return place;
  }
  return null;
}

type Filter = {
  /** Of most nodes that no small pack has it says so. */
  readonly mayHave: (high: number) => boolean;
  /** Packs that it does not know. */
  readonly others: readonly OpenPack[];
};

/** Bits of a hash that a filter looks at. */
const FILTER_BITS = 19;

/** Whether one of many small packs has a node is asked once, not of each. */
function filterOf(packs: readonly OpenPack[]): Filter {
  const bits = new Uint8Array(2 ** FILTER_BITS / 8);
  const bitOf = (high: number): number => high >>> (32 - FILTER_BITS);
  for (const pack of packs.filter(({ nodes }) => nodes <= SMALL_PACK)) {
    eachEntry(pack, (high) => {
      const bit = bitOf(high);
      bits[bit >>> 3] = (bits[bit >>> 3] ?? 0) | (1 << (bit & 7));
    });
  }
  return {
    mayHave: (high) => ((bits[bitOf(high) >>> 3] ?? 0) & (1 << (bitOf(high) & 7))) !== 0,
    others: packs.filter(({ nodes }) => nodes > SMALL_PACK),
  };
}

function readNodeAt({ pack, offset, length }: PackLocation, high: number, low: number): PackLookup {
  const { file, size } = pack;
  const isInside = length <= LONGEST_NODE && offset >= MAGIC_LENGTH + RECORD_HEAD && offset + length <= size;
  const record = isInside ? readAt(pack.fd, RECORD_HEAD + length, offset - RECORD_HEAD) : null;
  const isIt =
    record !== null &&
    record.readUInt32BE(0) === high &&
    record.readUInt32BE(4) === low &&
    record.readUInt32BE(8) === length;
  if (!isIt) return { kind: "damaged", file, reason: `what is at byte ${offset} of its pack is not it` };
  return { kind: "node", bytes: record.subarray(RECORD_HEAD), file };
}

const PIECE = 1024 * 1024;

/** `null` if it is cut short. */
export function readIndex(pack: OpenPack): Buffer | null {
  return readAt(pack.indexFd, indexLength(pack.nodes, pack.bits), 0);
}

/** What is wrong with an index, from its first byte to its last; `null` if nothing is. */
export function indexDamage(pack: OpenPack, seal: Seal): string | null {
  const bytes = readIndex(pack);
  if (bytes === null) return "it is cut short";
  const end = bytes.length - SEAL_LENGTH;
  return bytes.toString("latin1", end) === seal(bytes.subarray(0, end)) ? null : "its checksum is wrong";
}

/** Visits what an index says, sorted by hash. */
export function eachEntry(
  pack: OpenPack,
  visit: (high: number, low: number, offset: number, length: number) => void,
): void {
  const end = indexLength(pack.nodes, pack.bits) - SEAL_LENGTH;
  const most = Math.floor(PIECE / ENTRY_LENGTH) * ENTRY_LENGTH;
  for (let at = entriesAt(pack.bits); at < end; at += most) {
    const bytes = readAt(pack.indexFd, Math.min(most, end - at), at);
    if (bytes === null) return;
    for (let entry = 0; entry < bytes.length; entry += ENTRY_LENGTH) {
      visit(
        numberAt(bytes, entry),
        numberAt(bytes, entry + 4),
        numberAt(bytes, entry + 8) * 2 ** 32 + numberAt(bytes, entry + 12),
        numberAt(bytes, entry + 16),
      );
    }
  }
}
