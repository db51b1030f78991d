import { closeSync, fstatSync, fsyncSync, openSync, readSync, renameSync } from "node:fs";
import {
  CasError,
  type Hash,
  hashBytes,
  isHash,
  isObject,
  type JsonObject,
  type JsonValue,
} from "@uncaged/json-cas";
import {
  fsyncDir,
  guarded,
  makeDir,
  refuseLink,
  temporaryPath,
  tryUnlink,
  writeAll,
} from "../files/index.js";
import { highOf, lowOf } from "../halves.js";
import {
  bucketOf,
  fanOutBits,
  INDEX_MAGIC,
  indexLength,
  MAGIC_LENGTH,
  PACK_MAGIC,
  PACK_TAIL,
  packDir,
  packFile,
  packIndexFile,
  RECORD_HEAD,
  SHA_LENGTH,
  SIZE_AT,
} from "./format.js";

/** What a pack says of itself at its end. */
export type Footer = {
  readonly nodes: number;
  /** What the program that wrote an export adds; empty in a store. */
  readonly entries: readonly JsonObject[];
  /** What an export was made of; empty in a store. */
  readonly roots: readonly Hash[];
};

/** Bytes of a footer. */
export const FOOTER_LIMIT = 8 * 1024 * 1024;

export function footerText({ nodes, entries, roots }: Footer): string {
  return JSON.stringify({ nodes, entries, roots });
}

/** `null` for anything but the one form of a footer. */
export function parseFooter(text: string): Footer | null {
  const value = parsed(text);
  if (!isObject(value)) return null;
  const { nodes, entries, roots } = value;
  if (!Number.isSafeInteger(nodes) || !Array.isArray(entries) || !Array.isArray(roots)) return null;
  if (!entries.every(isObject) || !roots.every(isHash)) return null;
  const footer = { nodes: Number(nodes), entries, roots };
  return footerText(footer) === text ? footer : null;
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

/** A running SHA-256. node:crypto costs bun 6 ms, so it is loaded where it is used. */
export function sha256() {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  return {
    update: (data: string | Uint8Array): void => {
      hash.update(data);
    },
    digest: (): Buffer => hash.digest(),
  };
}

export type PackEntries = {
  readonly size: () => number;
  readonly add: (high: number, low: number, offset: number, length: number) => void;
  readonly high: (entry: number) => number;
  readonly low: (entry: number) => number;
  readonly offset: (entry: number) => number;
  readonly length: (entry: number) => number;
};

/** What goes into an index: 20 bytes per node. */
export function packEntries(): PackEntries {
  let [highs, lows, lengths, offsets] = [
    new Uint32Array(1024),
    new Uint32Array(1024),
    new Uint32Array(1024),
    new Float64Array(1024),
  ];
  let size = 0;
  const grow = (): void => {
    const larger = <T extends Uint32Array | Float64Array>(array: T, made: T): T => {
      made.set(array);
      return made;
    };
    highs = larger(highs, new Uint32Array(size * 2));
    lows = larger(lows, new Uint32Array(size * 2));
    lengths = larger(lengths, new Uint32Array(size * 2));
    offsets = larger(offsets, new Float64Array(size * 2));
  };
  return {
    size: () => size,
    add: (high, low, offset, length) => {
      if (size === highs.length) grow();
      highs[size] = high;
      lows[size] = low;
      offsets[size] = offset;
      lengths[size] = length;
      size += 1;
    },
    high: (entry) => highs[entry] ?? 0,
    low: (entry) => lows[entry] ?? 0,
    offset: (entry) => offsets[entry] ?? 0,
    length: (entry) => lengths[entry] ?? 0,
  };
}

export type PackSum = {
  readonly sha256: Buffer;
  /** Bytes. */
  readonly size: number;
  readonly entries: PackEntries;
};

export type PackOutput = {
  readonly add: (hash: Hash, bytes: Uint8Array) => void;
  /** Called once, at the end. */
  readonly end: (entries: readonly JsonObject[], roots: readonly Hash[]) => PackSum;
};

const PIECE = 256 * 1024;

/** A pack, given to `write` piece by piece. Throws `NOT_STORABLE` when its footer would be too long. */
export function packOutput(write: (piece: Uint8Array) => void): PackOutput {
  const sum = sha256();
  const entries = packEntries();
  const room = Buffer.allocUnsafeSlow(PIECE);
  let [filled, size] = [0, 0];
  const flush = (): void => {
    const piece = room.subarray(0, filled);
    sum.update(piece);
    write(piece);
    filled = 0;
  };
  const put = (bytes: Uint8Array): void => {
    size += bytes.length;
    for (let done = 0; done < bytes.length; ) {
      if (filled === room.length) flush();
      const length = Math.min(bytes.length - done, room.length - filled);
      room.set(bytes.subarray(done, done + length), filled);
      filled += length;
      done += length;
    }
  };
  const head = Buffer.alloc(RECORD_HEAD);
  put(Buffer.from(PACK_MAGIC));
  return {
    add: (hash, bytes) => {
      const [high, low] = [highOf(hash), lowOf(hash)];
      head.writeUInt32BE(high, 0);
      head.writeUInt32BE(low, 4);
      head.writeUInt32BE(bytes.length, 8);
      put(head);
      entries.add(high, low, size, bytes.length);
      put(bytes);
    },
    end: (records, roots) => {
      const footer = Buffer.from(footerText({ nodes: entries.size(), entries: records, roots }));
      if (footer.length > FOOTER_LIMIT) throw tooMany(roots.length);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(footer.length);
      put(footer);
      put(length);
      flush();
      const digest = sum.digest();
      write(digest);
      return { sha256: digest, size: size + SHA_LENGTH, entries };
    },
  };
}

function tooMany(roots: number): CasError {
  const reason = `an export cannot name ${roots} roots at once`;
  return new CasError({ code: "NOT_STORABLE", path: "", reason });
}

/** The index of a pack. */
export function indexBytes({ sha256: sum, size, entries }: PackSum): Buffer {
  const nodes = entries.size();
  const bits = fanOutBits(nodes);
  const bytes = Buffer.alloc(indexLength(nodes, bits));
  bytes.write(INDEX_MAGIC, 0, "latin1");
  bytes.set(sum, MAGIC_LENGTH);
  let at = SIZE_AT;
  for (const number of [Math.floor(size / 2 ** 32), size % 2 ** 32, nodes, bits]) {
    at = bytes.writeUInt32BE(number, at);
  }
  const { starts, order } = sorted(entries, bits);
  for (const start of starts) at = bytes.writeUInt32BE(start, at);
  for (const entry of order) {
    const offset = entries.offset(entry);
    at = bytes.writeUInt32BE(entries.high(entry), at);
    at = bytes.writeUInt32BE(entries.low(entry), at);
    at = bytes.writeUInt32BE(Math.floor(offset / 2 ** 32), at);
    at = bytes.writeUInt32BE(offset % 2 ** 32, at);
    at = bytes.writeUInt32BE(entries.length(entry), at);
  }
  bytes.write(hashBytes(bytes.subarray(0, at)), at, "latin1");
  return bytes;
}

/** The fan-out, and the entries by hash: distributed by their first bits, and then put in order among a few. */
function sorted(entries: PackEntries, bits: number) {
  const nodes = entries.size();
  const starts = new Uint32Array(2 ** bits + 1);
  for (let entry = 0; entry < nodes; entry += 1) {
    const bucket = bucketOf(entries.high(entry), bits) + 1;
    starts[bucket] = (starts[bucket] ?? 0) + 1;
  }
  for (let bucket = 1; bucket < starts.length; bucket += 1) {
    starts[bucket] = (starts[bucket] ?? 0) + (starts[bucket - 1] ?? 0);
  }
  const next = starts.slice();
  const order = new Uint32Array(nodes);
  for (let entry = 0; entry < nodes; entry += 1) {
    const bucket = bucketOf(entries.high(entry), bits);
    const place = next[bucket] ?? 0;
    order[place] = entry;
    next[bucket] = place + 1;
  }
  const compare = (left: number, right: number): number =>
    entries.high(left) - entries.high(right) || entries.low(left) - entries.low(right);
  for (let bucket = 0; bucket < 2 ** bits; bucket += 1) {
    order.subarray(starts[bucket], starts[bucket + 1]).sort(compare);
  }
  return { starts, order };
}

export function packNameFor(sum: Uint8Array): Hash {
  return hashBytes(sum);
}

export type WrittenPack = { readonly name: Hash; readonly nodes: number; readonly size: number };

export type NewPack = {
  readonly add: (hash: Hash, bytes: Uint8Array) => void;
  readonly nodes: () => number;
  /** Makes both files durable and gives them their names, the index first; then the pack is there. */
  readonly finish: () => WrittenPack;
  /** Called at the end in every case: removes what has no name. */
  readonly drop: () => void;
};

/**
 * A pack of a store that is written under a temporary name. What is in it must be sound, and each node be added once.
 * Nothing of what it stands in for may be removed before `finish`. System errors are `IO_FAILED`.
 */
export function newPack(dir: string): NewPack {
  const folder = packDir(dir);
  refuseLink(folder);
  makeDir(folder);
  const temporary = temporaryPath(packFile(dir, "new"));
  const fd = guarded("write", temporary, () => openSync(temporary, "wx", 0o664));
  let isOpen = true;
  const output = packOutput((piece) => guarded("write", temporary, () => writeAll(fd, piece)));
  let nodes = 0;
  return {
    add: (hash, bytes) => {
      nodes += 1;
      output.add(hash, bytes);
    },
    nodes: () => nodes,
    finish: () => {
      const sum = output.end([], []);
      guarded("write", temporary, () => fsyncSync(fd));
      isOpen = false;
      closeSync(fd);
      const name = packNameFor(sum.sha256);
      writePackIndex(dir, name, sum);
      // A power cut must not leave a pack without its index.
      fsyncDir(folder);
      guarded("write", packFile(dir, name), () => renameSync(temporary, packFile(dir, name)));
      fsyncDir(folder);
      return { name, nodes, size: sum.size };
    },
    drop: () => {
      if (isOpen) closeSync(fd);
      isOpen = false;
      tryUnlink(temporary);
    },
  };
}

/** Writes an index, durable when it has its name. */
export function writePackIndex(dir: string, name: string, sum: PackSum): void {
  const file = packIndexFile(dir, name);
  const temporary = temporaryPath(file);
  guarded("write", file, () => {
    const fd = openSync(temporary, "wx", 0o664);
    try {
      writeAll(fd, indexBytes(sum));
      fsyncSync(fd);
      renameSync(temporary, file);
    } catch (error) {
      tryUnlink(temporary);
      throw error;
    } finally {
      closeSync(fd);
    }
  });
}

/** A node in a file of records. */
export type RecordVisit = (high: number, low: number, bytes: Buffer, offset: number) => void;

/** What reading a pack from its first byte to its last gives. */
export type ScannedPack = {
  /** `null` if it cannot be told where the nodes end, or what is there is no footer. */
  readonly footer: Footer | null;
  readonly sum: PackSum;
  /** Whether the checksum at its end is right. */
  readonly isWhole: boolean;
  /** What is wrong with its form; `null` if nothing is. */
  readonly damage: string | null;
};

const READ = 1024 * 1024;

/**
 * Reads a pack from its first byte to its last, and visits every node in it, unchecked; its bytes are valid until the visit
 * returns. Stops where a record has no sense. `longest` bounds a node; without `checksum` the SHA-256 is taken on trust.
 * System errors are `IO_FAILED`.
 */
export function scanPack(
  fd: number,
  file: string,
  { longest, checksum }: { readonly longest: number; readonly checksum: boolean },
  visit: RecordVisit,
): ScannedPack {
  const { size } = guarded("read", file, () => fstatSync(fd));
  const sum = checksum ? sha256() : null;
  const entries = packEntries();
  const result = (
    damage: string | null,
    footer: Footer | null,
    digest: Buffer,
    isWhole: boolean,
  ): ScannedPack => ({
    footer,
    sum: { sha256: digest, size, entries },
    isWhole,
    damage,
  });
  const none = Buffer.alloc(SHA_LENGTH);
  if (size < MAGIC_LENGTH + PACK_TAIL) return result("it is cut short", null, none, false);
  const tail = readFully(fd, file, Buffer.alloc(PACK_TAIL), size - PACK_TAIL);
  const end = size - PACK_TAIL - tail.readUInt32BE(0);
  if (end < MAGIC_LENGTH || tail.readUInt32BE(0) > FOOTER_LIMIT)
    return result("its end is not that of a pack", null, none, false);

  let room = Buffer.allocUnsafeSlow(Math.min(READ, size));
  // `room` has the bytes of the file from `base` on, `filled` of them.
  let [base, filled] = [0, 0];
  /** Where those bytes of the file begin in `room`. */
  const reach = (at: number, length: number): number => {
    if (at + length > base + filled) {
      const kept = base + filled - at;
      const larger = length > room.length ? Buffer.allocUnsafeSlow(length) : room;
      room.copy(larger, 0, at - base, at - base + kept);
      room = larger;
      const more = Math.min(room.length - kept, size - SHA_LENGTH - at - kept);
      const fresh = readFully(fd, file, room.subarray(kept, kept + more), at + kept);
      sum?.update(fresh);
      [base, filled] = [at, kept + more];
    }
    return at - base;
  };
  const need = (at: number, length: number): Buffer => {
    const from = reach(at, length);
    return room.subarray(from, from + length);
  };
  if (need(0, MAGIC_LENGTH).toString("latin1") !== PACK_MAGIC)
    return result("it is not a pack of this version", null, none, false);
  let at = MAGIC_LENGTH;
  while (at < end) {
    if (at + RECORD_HEAD > end) return result(`it has no node at byte ${at}`, null, none, false);
    const from = reach(at, RECORD_HEAD);
    const [high, low, length] = [numberAt(room, from), numberAt(room, from + 4), numberAt(room, from + 8)];
    at += RECORD_HEAD;
    if (length > longest || at + length > end)
      return result(`it has no node at byte ${at - RECORD_HEAD}`, null, none, false);
    entries.add(high, low, at, length);
    visit(high, low, need(at, length), at);
    at += length;
  }
  const footer = parseFooter(need(end, size - PACK_TAIL - end).toString("utf8"));
  need(size - PACK_TAIL, 4);
  const digest = sum?.digest() ?? tail.subarray(4);
  const isWhole = digest.equals(tail.subarray(4));
  if (footer === null || footer.nodes !== entries.size())
    return result("its end is not that of a pack", null, digest, isWhole);
  return result(isWhole ? null : "its checksum is wrong", footer, digest, isWhole);
}

function numberAt(bytes: Uint8Array, at: number): number {
  const high = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  return ((high << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0;
}

function readFully(fd: number, file: string, into: Buffer, at: number): Buffer {
  guarded("read", file, () => {
    for (let done = 0; done < into.length; ) {
      const read = readSync(fd, into, done, into.length - done, at + done);
      if (read === 0)
        throw Object.assign(new Error("EIO: it became shorter while it was read"), { code: "EIO" });
      done += read;
    }
  });
  return into;
}
