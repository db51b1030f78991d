import { closeSync, fsyncSync, openSync, renameSync } from "node:fs";
import { CasError, type Hash, hashBytes, type JsonObject } from "@uncaged/json-cas";
import {
  fsyncDir,
  guarded,
  makeDir,
  refuseLink,
  temporaryPath,
  tryUnlink,
  uniqueName,
  writeAll,
} from "../files/index.js";
import { highOf, lowOf } from "../halves.js";
import { type PackEntries, packEntries, sha256 } from "./entries.js";
import { FOOTER_LIMIT, footerText } from "./footer.js";
import {
  bucketOf,
  fanOutBits,
  INDEX_MAGIC,
  indexLength,
  MAGIC_LENGTH,
  PACK_MAGIC,
  packDir,
  packFile,
  packIndexFile,
  RECORD_HEAD,
  SHA_LENGTH,
  SIZE_AT,
} from "./format.js";

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

/** A name that no other pack has or had: one that removes a pack never meets one that writes it again. */
function nameOf(sum: Uint8Array): Hash {
  return hashBytes(Buffer.concat([sum, Buffer.from(uniqueName())]));
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
      const name = nameOf(sum.sha256);
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
