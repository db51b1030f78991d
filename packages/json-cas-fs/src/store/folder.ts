import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { CasError, FOREIGN_ROOTS, type Hash, isHash } from "@uncaged/json-cas";
import {
  createFileExclusive,
  errnoOf,
  guarded,
  isMissing,
  makeDir,
  READ_PLAIN,
  readNames,
  readWithin,
  replaceFile,
} from "../files/index.js";

// <dir>/<HASH>.bin      one node, DAG-CBOR of {type, payload, timestamp}
// <dir>/pack/           nodes that were packed, see pack/format.ts
// <dir>/_index/<TYPE>   one hash per line: the nodes of that type; derived
// <dir>/<HASH>.aside    the same node, while gc takes it away (or was killed over it): still readable, see write.ts
// <dir>/_format         version of this layout (format.ts); absent in an empty store and in those of before

const SUFFIX = ".bin";
const ASIDE = ".aside";

/** Where a store keeps the node of that hash. */
export function fsStoreFile(dir: string, hash: Hash): string {
  return join(dir, `${hash}${SUFFIX}`);
}

/** Where gc moves a node before it removes it. */
export function trashFile(dir: string, hash: Hash): string {
  return join(dir, `${hash}${ASIDE}`);
}

export function indexDir(dir: string): string {
  return join(dir, "_index");
}

export function indexFile(dir: string, type: Hash): string {
  return join(dir, "_index", type);
}

export function formatFile(dir: string): string {
  return join(dir, "_format");
}

/** The hashes of all node files, in no order. A folder that is missing is empty. */
export function looseNodes(dir: string): readonly Hash[] {
  return hashesWith(SUFFIX, readNames(dir));
}

/** The hashes of nodes that gc was about to remove. */
export function trashedNodes(dir: string): readonly Hash[] {
  return hashesWith(ASIDE, readNames(dir));
}

function hashesWith(suffix: string, names: readonly string[]): readonly Hash[] {
  const found = names.filter((name) => name.endsWith(suffix));
  return found.map((name) => name.slice(0, -suffix.length)).filter(isHash);
}

/** Every node has a file of its own; a store without a format file has this layout too. */
const LOOSE = "1";

/**
 * There may be packs. A version that does not know them would call every node in them missing; it shows this instead
 * (`_format says format "2: …"; this version reads 1`), up to 40 characters of it.
 */
const PACKED = "2: packed nodes, needs a newer version";

const FORMATS: ReadonlySet<string> = new Set([LOOSE, PACKED]);

export type FormatGuard = {
  /** Throws `UNSUPPORTED_FORMAT` when the folder was written by a later version. Reads the file once. */
  readonly check: () => void;
  /**
   * Checks the format file; if there is none, makes the folders and then the file, so its presence means that they
   * exist.
   */
  readonly ensure: () => void;
};

/** Looks at the format file at the first access to the store, never when the store is opened. */
export function formatGuard(dir: string): FormatGuard {
  let state: "unknown" | "absent" | "present" = "unknown";
  const look = (): void => {
    state = readFormat(dir) === null ? "absent" : "present";
  };
  return {
    check: () => {
      if (state === "unknown") look();
    },
    ensure: () => {
      if (state === "present") return;
      makeDir(indexDir(dir));
      createFileExclusive(formatFile(dir), `${LOOSE}\n`);
      // Another process may have been first, with another version.
      look();
    },
  };
}

/** What the format file says, `null` if there is none; throws if it names another format. */
function readFormat(dir: string): string | null {
  const file = formatFile(dir);
  const text = guarded("read", file, () => {
    try {
      return readPlainFile(file);
    } catch (error) {
      if (errnoOf(error) === "ENOENT") return null;
      throw error;
    }
  });
  const found = text?.trim() ?? null;
  if (found === null || FORMATS.has(found)) return found;
  throw new CasError({
    code: "UNSUPPORTED_FORMAT",
    file,
    found: JSON.stringify(found.slice(0, 40)),
    supported: "1 and 2",
  });
}

/** Called before a node may be in a pack alone, durable when it returns. Throws `UNSUPPORTED_FORMAT`. */
export function allowPacks(dir: string): void {
  formatGuard(dir).ensure();
  if (readFormat(dir) === PACKED) return;
  replaceFile(formatFile(dir), `${PACKED}\n`, null);
}

const LONGER = Buffer.from("more than 1024 bytes");

/** Follows no link, because unknown content is shown in the error; a named pipe reads as empty. */
function readPlainFile(file: string): string {
  const fd = openSync(file, READ_PLAIN);
  try {
    // A version is a few characters; of anything else its beginning is shown.
    return (readWithin(fd, 1024) ?? LONGER).toString("utf8");
  } finally {
    closeSync(fd);
  }
}

/**
 * Which original program has written schemas into a store; `null` if none. Two lookups, whatever the size of the
 * store.
 */
export function writtenBy(dir: string): string | null {
  for (const [root, program] of FOREIGN_ROOTS) {
    if (!isMissing(fsStoreFile(dir, root)) || !isMissing(indexFile(dir, root))) return program;
  }
  return null;
}
