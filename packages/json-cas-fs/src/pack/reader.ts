import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type Hash, hashBytes, hashToBytes, readHash } from "@uncaged/json-cas";
import { errnoOf, isMissing, READ_PLAIN, readNames } from "../files/index.js";
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
  PACK_MAGIC,
  packDir,
  packFile,
  packIndexFile,
  packNameOf,
  RECORD_HEAD,
  SEAL_LENGTH,
  SIZE_AT,
} from "./format.js";

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
};

/** A pack of which it is unknown what it has in it. */
export type BrokenPack = { readonly name: string; readonly file: string; readonly reason: string };

/** Where a node is. */
export type PackLocation = { readonly pack: OpenPack; readonly offset: number; readonly length: number };

export type PackReader = {
  /** `null` if no sound pack has it. */
  readonly find: (hash: Hash) => PackLocation | null;
  /** Whether a pack that was there at the last listing has it. For nodes that mostly are new. */
  readonly isKnown: (hash: Hash) => boolean;
  /** Packs that make it unknown whether a node that was not found is there. Checks each index once. */
  readonly broken: () => readonly BrokenPack[];
  /** Those that there are now, by name. */
  readonly packs: () => readonly OpenPack[];
  /** Closes all packs: the next read opens and checks its pack again. No read may be under way. */
  readonly forget: () => void;
};

const readers = new Map<string, PackReader>();

/** One reader for each folder and process: it holds two descriptors for each pack. Throws system errors. */
export function packReaderOf(dir: string): PackReader {
  const known = readers.get(dir);
  if (known !== undefined) return known;
  const reader = createPackReader(dir);
  readers.set(dir, reader);
  return reader;
}

function createPackReader(dir: string): PackReader {
  let open: ReadonlyMap<string, OpenPack> = new Map();
  let failed: readonly BrokenPack[] = [];
  /** The names of the last listing. */
  let names: string | null = null;
  /** Where the last node was: what belongs together was written together. */
  let last: OpenPack | null = null;
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
    last = null;
    return names !== before;
  };
  const look = (hash: Hash): PackLocation | null => {
    const key = hashToBytes(hash);
    for (const pack of last === null ? open.values() : [last, ...open.values()]) {
      const place = findInPack(pack, key);
      if (place === null) continue;
      if (isNamed(pack)) {
        last = pack;
        return place;
      }
      // Read again from the new ones, or missing: gc has taken it away.
      [names, last] = [null, null];
      return null;
    }
    return null;
  };
  const find = (hash: Hash): PackLocation | null => {
    for (let round = 0; ; round += 1) {
      const place = look(hash);
      if (place !== null) return place;
      if (!list() || round > MOST_ROUNDS) return look(hash);
    }
  };
  const brokenIndex = (pack: OpenPack): readonly BrokenPack[] => {
    const known = checked.get(pack);
    const reason = known === undefined ? indexDamage(pack) : known;
    checked.set(pack, reason);
    return reason === null ? [] : [{ name: pack.name, file: pack.indexFile, reason }];
  };
  return {
    find,
    isKnown: (hash) => (names === null ? find(hash) : look(hash)) !== null,
    broken: () => [...failed, ...[...open.values()].flatMap(brokenIndex)],
    forget: () => {
      for (const pack of [...open.values(), ...retired.splice(0)]) closePack(pack);
      open = new Map();
      failed = [];
      [names, last] = [null, null];
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
  const found = readNames(packDir(dir)).map(packNameOf);
  return found.flatMap((file) => (file?.kind === "pack" ? [file.name] : [])).sort();
}

/** Whether its file still has a name: gc, or another process that packs, may have taken it away. */
function isNamed({ fd }: OpenPack): boolean {
  return fstatSync(fd).nlink > 0;
}

function closePack({ fd, indexFd }: Pick<OpenPack, "fd" | "indexFd">): void {
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
    if ("reason" in pack) closePack({ fd, indexFd });
    return pack;
  }
  closeSync(fd);
  if (indexFd !== null) return { name, file: indexFile, reason: indexFd };
  // A pack loses its index after its own name.
  return isMissing(file) ? "gone" : { name, file: indexFile, reason: "it is missing" };
}

function readHeads(opened: Omit<OpenPack, "nodes" | "bits" | "size">): OpenPack | BrokenPack {
  const { name, file, indexFile, fd, indexFd } = opened;
  const bad = (which: string, reason: string): BrokenPack => ({ name, file: which, reason });
  const [stat, indexStat] = [fstatSync(fd), fstatSync(indexFd)];
  if (!stat.isFile()) return bad(file, NOT_REGULAR);
  if (!indexStat.isFile()) return bad(indexFile, NOT_REGULAR);
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
  return { ...opened, nodes, bits, size };
}

const NOT_REGULAR = "it is not a regular file";

/** A descriptor; `null` if there is nothing, a sentence if it is no file. */
function openPlain(file: string): number | string | null {
  try {
    return openSync(file, READ_PLAIN);
  } catch (error) {
    const code = errnoOf(error);
    if (code === "ENOENT") return null;
    if (code === "ELOOP" || code === "ENXIO") return NOT_REGULAR;
    throw error;
  }
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

function findInPack(pack: OpenPack, key: Uint8Array): PackLocation | null {
  const { bits, nodes } = pack;
  const range = readAt(pack.indexFd, 8, INDEX_HEAD + bucketOf(key, bits) * 4);
  const [first, end] = [range?.readUInt32BE(0) ?? 0, range?.readUInt32BE(4) ?? 0];
  // An index that lies here is found out by its seal.
  if (end <= first || end > nodes || end - first > LARGEST_BUCKET) return null;
  const start = entriesAt(bits) + first * ENTRY_LENGTH;
  const entries = readAt(pack.indexFd, (end - first) * ENTRY_LENGTH, start);
  const at = entries === null ? -1 : entryOf(entries, key);
  if (entries === null || at === -1) return null;
  return { pack, ...entryAt(entries, at) };
}

/** Where the entry of a hash begins; -1 if there is none. Entries are sorted. */
function entryOf(entries: Buffer, key: Uint8Array): number {
  let [first, last] = [0, entries.length / ENTRY_LENGTH - 1];
  while (first <= last) {
    const middle = (first + last) >>> 1;
    const at = middle * ENTRY_LENGTH;
    const order = entries.compare(key, 0, 8, at, at + 8);
    if (order === 0) return at;
    if (order < 0) first = middle + 1;
    else last = middle - 1;
  }
  return -1;
}

export function entryAt(entries: Buffer, at: number): { readonly offset: number; readonly length: number } {
  const offset = entries.readUInt32BE(at + 8) * 2 ** 32 + entries.readUInt32BE(at + 12);
  return { offset, length: entries.readUInt32BE(at + 16) };
}

/** Reads a node, unchecked, or says what is wrong. Its hash is compared with what its record says. */
export function readPackedNode(
  { pack, offset, length }: PackLocation,
  hash: Hash,
): Buffer | { readonly damage: string } {
  const isInside =
    length <= LONGEST_NODE && offset >= MAGIC_LENGTH + RECORD_HEAD && offset + length <= pack.size;
  const record = isInside ? readAt(pack.fd, RECORD_HEAD + length, offset - RECORD_HEAD) : null;
  if (record === null || readHash(record, 0) !== hash || record.readUInt32BE(8) !== length)
    return { damage: `what is at byte ${offset} of its pack is not it` };
  return record.subarray(RECORD_HEAD);
}

const PIECE = 1024 * 1024;

/** What is wrong with an index, from its first byte to its last; `null` if nothing is. */
export function indexDamage(pack: OpenPack): string | null {
  const bytes = readAt(pack.indexFd, indexLength(pack.nodes, pack.bits), 0);
  if (bytes === null) return "it is cut short";
  const end = bytes.length - SEAL_LENGTH;
  return bytes.toString("latin1", end) === hashBytes(bytes.subarray(0, end)) ? null : "its checksum is wrong";
}

/** Visits the entries of an index, sorted by hash: each begins with the bytes of its hash, and `entryAt` says the rest. */
export function eachEntry(pack: OpenPack, visit: (bytes: Buffer, at: number, entry: number) => void): void {
  const end = indexLength(pack.nodes, pack.bits) - SEAL_LENGTH;
  const most = Math.floor(PIECE / ENTRY_LENGTH) * ENTRY_LENGTH;
  let entry = 0;
  for (let start = entriesAt(pack.bits); start < end; start += most) {
    const bytes = readAt(pack.indexFd, Math.min(most, end - start), start);
    if (bytes === null) return;
    for (let at = 0; at < bytes.length; at += ENTRY_LENGTH) {
      visit(bytes, at, entry);
      entry += 1;
    }
  }
}
