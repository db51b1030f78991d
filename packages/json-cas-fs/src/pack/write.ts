import { closeSync, fsyncSync, openSync, renameSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { CasError, type Hash, hashBytes, hashToBytes, type JsonObject } from "@uncaged/json-cas";
import {
  fsyncDir,
  guarded,
  makeDir,
  refuseLink,
  removeIfThere,
  replaceFile,
  temporaryPath,
  tryUnlink,
  uniqueName,
  writeAll,
} from "../files/index.js";
import { acquireLock, releaseLock, tryLock } from "../lock/index.js";
import {
  bucketOf,
  FOOTER_LIMIT,
  fanOutBits,
  footerText,
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
  sha256,
} from "./format.js";

/** Where a node is in a pack. */
export type PackEntry = { readonly hash: Hash; readonly offset: number; readonly length: number };

export type PackSum = {
  readonly sha256: Buffer;
  /** Bytes. */
  readonly size: number;
  readonly entries: readonly PackEntry[];
};

const PIECE = 256 * 1024;

/** A pack, given to `write` piece by piece. Throws `NOT_STORABLE` when its footer would be too long. */
export function packOutput(write: (piece: Uint8Array) => void) {
  const sum = sha256();
  const entries: PackEntry[] = [];
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
    add: (hash: Hash, bytes: Uint8Array): void => {
      head.set(hashToBytes(hash), 0);
      head.writeUInt32BE(bytes.length, 8);
      put(head);
      entries.push({ hash, offset: size, length: bytes.length });
      put(bytes);
    },
    /** Called once, at the end. */
    end: (records: readonly JsonObject[], roots: readonly Hash[]): PackSum => {
      const footer = Buffer.from(footerText({ nodes: entries.length, entries: records, roots }));
      if (footer.length > FOOTER_LIMIT) {
        const reason = `an export cannot name ${roots.length} roots at once`;
        throw new CasError({ code: "NOT_STORABLE", path: "", reason });
      }
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

/** The index of a pack. */
export function indexBytes({ sha256: sum, size, entries }: PackSum): Buffer {
  const nodes = entries.length;
  const bits = fanOutBits(nodes);
  const bytes = Buffer.alloc(indexLength(nodes, bits));
  bytes.write(INDEX_MAGIC, 0, "latin1");
  bytes.set(sum, MAGIC_LENGTH);
  let at = SIZE_AT;
  for (const number of [Math.floor(size / 2 ** 32), size % 2 ** 32, nodes, bits]) {
    at = bytes.writeUInt32BE(number, at);
  }
  // Written like a number, so that texts sort as the numbers do.
  const sorted = [...entries].sort((left, right) => (left.hash < right.hash ? -1 : 1));
  const starts = new Uint32Array(2 ** bits + 1);
  const fanOut = at;
  at += starts.length * 4;
  for (const { hash, offset, length } of sorted) {
    const key = hashToBytes(hash);
    const bucket = bucketOf(key, bits) + 1;
    starts[bucket] = (starts[bucket] ?? 0) + 1;
    bytes.set(key, at);
    at = bytes.writeUInt32BE(Math.floor(offset / 2 ** 32), at + key.length);
    at = bytes.writeUInt32BE(length, bytes.writeUInt32BE(offset % 2 ** 32, at));
  }
  let before = 0;
  for (const [bucket, count] of starts.entries()) {
    before += count;
    bytes.writeUInt32BE(before, fanOut + bucket * 4);
  }
  bytes.write(hashBytes(bytes.subarray(0, at)), at, "latin1");
  return bytes;
}

export type NewPack = ReturnType<typeof newPack>;

/**
 * A pack of a store that is written under a temporary name. What is in it must be sound, and each node be added once.
 * Nothing of what it stands in for may be removed before `finish`. System errors are `IO_FAILED`.
 */
export function newPack(dir: string) {
  const folder = packDir(dir);
  refuseLink(folder);
  makeDir(folder);
  const temporary = temporaryPath(packFile(dir, "new"));
  const fd = guarded("write", temporary, () => openSync(temporary, "wx", 0o664));
  let isOpen = true;
  const output = packOutput((piece) => guarded("write", temporary, () => writeAll(fd, piece)));
  let nodes = 0;
  return {
    add: (hash: Hash, bytes: Uint8Array): void => {
      nodes += 1;
      output.add(hash, bytes);
    },
    nodes: (): number => nodes,
    /** Makes both files durable and gives them their names, the index first; then the pack is there. */
    finish: () => {
      const sum = output.end([], []);
      guarded("write", temporary, () => fsyncSync(fd));
      isOpen = false;
      closeSync(fd);
      // One that no other pack has or had: one that removes a pack never meets one that writes it again.
      const name = hashBytes(Buffer.concat([sum.sha256, Buffer.from(uniqueName())]));
      // Its name is durable too: a power cut must not leave a pack without its index.
      writePackIndex(dir, name, sum);
      guarded("write", packFile(dir, name), () => renameSync(temporary, packFile(dir, name)));
      fsyncDir(folder);
      return { name, size: sum.size };
    },
    /** Called at the end in every case: removes what has no name. */
    drop: (): void => {
      if (isOpen) closeSync(fd);
      isOpen = false;
      tryUnlink(temporary);
    },
  };
}

/** Writes an index, durable when it has its name. */
export function writePackIndex(dir: string, name: string, sum: PackSum): void {
  replaceFile(packIndexFile(dir, name), indexBytes(sum), null);
}

/** Their names first, those of their indexes after: a pack without an index would be damage. The caller holds the packs. */
export function removePacks(dir: string, names: readonly string[]): void {
  if (names.length === 0) return;
  for (const name of names) removeIfThere(packFile(dir, name));
  fsyncDir(packDir(dir));
  for (const name of names) removeIfThere(packIndexFile(dir, name));
}

/** The nodes of a pack count as put at its time (epoch ms). */
export function touchPack(dir: string, name: string, now: number): void {
  const file = packFile(dir, name);
  guarded("refresh", file, () => utimesSync(file, now / 1000, now / 1000));
}

/** How long a process that wants to pack waits for another one that packs. */
const WAIT_MS = 5000;

/**
 * Runs `work` while no other process removes packs, or writes one in place of others. Readers need no lock,
 * nor does a process that writes a pack of new nodes. Throws `LOCK_BUSY`, and `IO_FAILED` where the packs'
 * folder is a link: nothing is written or removed through one.
 */
export async function holdPacks<T>(dir: string, work: () => Promise<T> | T): Promise<T> {
  refuseLink(packDir(dir));
  const lock = await acquireLock(lockFile(dir), { waitMs: WAIT_MS });
  try {
    return await work();
  } finally {
    releaseLock(lock);
  }
}

/** The same if no other process holds the packs at this moment; else does nothing. */
export function holdFreePacks(dir: string, work: () => void): void {
  refuseLink(packDir(dir));
  const lock = tryLock(lockFile(dir));
  if (lock.kind === "busy") return;
  try {
    work();
  } finally {
    releaseLock(lock);
  }
}

function lockFile(dir: string): string {
  return join(dir, "_pack.lock");
}
