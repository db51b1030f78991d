import { closeSync, fstatSync, readSync } from "node:fs";
import { CasError, type Hash, isHash } from "@uncaged/json-cas";
import {
  DEFAULT_MODE,
  errnoOf,
  guarded,
  makeDir,
  openAppendOnly,
  openRegular,
  readNames,
  readWithin,
  refuseLink,
  type Syncs,
  writeAll,
} from "../files/index.js";
import { indexDir, indexFile } from "./folder.js";

const NEWLINE = 10;

/** Index lines that are written while their nodes are not there yet. */
export type PendingLines = {
  /** Called once the nodes exist: writes the lines again if `reindex` has replaced the file in the meantime. */
  readonly confirm: () => void;
  readonly close: () => void;
};

/**
 * Writes the lines of nodes that are about to appear, each with its type, durably when `syncs` says. Many processes append to one
 * index without a lock: the lines of a type are one write, and readers drop lines that are torn, doubled or lead nowhere.
 */
export function announce(
  dir: string,
  nodes: Iterable<readonly [hash: Hash, type: Hash]>,
  syncs: Syncs,
): PendingLines {
  const byType = new Map<Hash, Hash[]>();
  for (const [hash, type] of nodes) {
    const hashes = byType.get(type);
    if (hashes === undefined) byType.set(type, [hash]);
    else hashes.push(hash);
  }
  const open: { readonly file: string; readonly fd: number; readonly hashes: readonly Hash[] }[] = [];
  const eachFile = (act: (one: (typeof open)[number]) => void): void => {
    for (const one of open) guarded("append to", one.file, () => act(one));
  };
  const close = (): void => {
    eachFile(({ fd }) => closeSync(fd));
    open.length = 0;
  };
  try {
    for (const [type, hashes] of byType) {
      const file = indexFile(dir, type);
      const fd = guarded("append to", file, () => openAndAppend(dir, file, hashes, syncs));
      open.push({ file, fd, hashes });
    }
  } catch (error) {
    close();
    throw error;
  }
  const confirm = (): void =>
    eachFile(({ file, fd, hashes }) => {
      if (fstatSync(fd).nlink === 0) closeSync(openAndAppend(dir, file, hashes, syncs));
    });
  return { confirm, close };
}

function openAndAppend(dir: string, file: string, hashes: readonly Hash[], syncs: Syncs): number {
  // The complete store may be a link to another disk; a link inside it would redirect writes.
  refuseLink(indexDir(dir));
  const fd = openToAppend(dir, file);
  try {
    const { size } = fstatSync(fd);
    const lines = `${hashes.join("\n")}\n`;
    writeAll(fd, endsTorn(fd, size) ? `\n${lines}` : lines);
    syncs.file(file, fd);
    if (size === 0) syncs.folder(indexDir(dir));
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Opens the file for appending. Makes its folder again if it was removed after the store was made. */
function openToAppend(dir: string, file: string): number {
  try {
    return openAppendOnly(file, DEFAULT_MODE);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno !== "ENOENT" && errno !== "ENOTDIR") throw error;
    makeDir(indexDir(dir));
    return openAppendOnly(file, DEFAULT_MODE);
  }
}

function endsTorn(fd: number, size: number): boolean {
  const last = new Uint8Array(1);
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== NEWLINE;
}

/** The types that have an index. */
export function listTypes(dir: string): readonly Hash[] {
  return readNames(indexDir(dir)).filter(isHash).sort();
}

/** The lines of an index that are hashes, each once, in the order of the file. */
export function readIndex(dir: string, type: Hash): readonly Hash[] {
  return parseIndex(readIndexBytes(dir, type).toString("utf8"));
}

export function readIndexBytes(dir: string, type: Hash): Buffer {
  const file = indexFile(dir, type);
  return guarded("read", file, () => {
    try {
      return readWhole(file);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return Buffer.alloc(0);
      throw error;
    }
  });
}

/** Bytes of one type's index that are held at once: two million nodes. */
export const INDEX_LIMIT = 32 * 1024 * 1024;

const TOO_LARGE = "EFBIG";

/** Whether an error says that an index exceeds the limit. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof CasError && error.fault.code === "IO_FAILED" && error.fault.errno === TOO_LARGE;
}

function readWhole(file: string): Buffer {
  const fd = openRegular(file, "refused");
  try {
    const bytes = readWithin(fd, INDEX_LIMIT);
    if (bytes !== null) return bytes;
    const reason = `it is larger than ${INDEX_LIMIT} bytes, the limit; \`reindex\` rebuilds it`;
    throw new CasError({ code: "IO_FAILED", operation: "read", path: file, errno: TOO_LARGE, reason });
  } finally {
    closeSync(fd);
  }
}

export function parseIndex(text: string): readonly Hash[] {
  return [...new Set(text.split("\n"))].filter(isHash);
}
