import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

/** The code of an error that we throw like a system error. */
const OF_STORAGE_ROOT = "UWF_STORAGE_ROOT";

/**
 * uwf's storage root contains keys, the next commands to run, and the history; a model must not touch it. It is
 * recognised by device and inode, of the folder and of its direct entries, so that links, hard links, mounts and other
 * spellings are found too.
 */
type Barred = ReadonlySet<string>;

function barredIn(storageRoot: string): Barred {
  const root = identityAt(storageRoot);
  if (root === null) return new Set();
  const inside = readdirSync(storageRoot).flatMap((name) => identityAt(join(storageRoot, name)) ?? []);
  return new Set([root, ...inside]);
}

/** Throws if the open file is the storage root or directly in it. */
function refuseBarred(fd: number, barred: Barred): void {
  const { dev, ino } = fstatSync(fd);
  if (barred.has(`${dev}:${ino}`)) throw ofStorageRoot();
}

/** The same for a folder and its parents: the working folder itself may be in the storage root. */
function refuseWithin(folder: string, barred: Barred): void {
  for (let at = folder; ; at = dirname(at)) {
    const identity = identityAt(at);
    if (identity !== null && barred.has(identity)) throw ofStorageRoot();
    if (at === dirname(at)) return;
  }
}

function ofStorageRoot(): Error {
  return Object.assign(new Error("it belongs to uwf's storage root"), { code: OF_STORAGE_ROOT });
}

function identityAt(path: string): string | null {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return null;
  }
}

/** The value, or a sentence for the model. */
type Answered<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string };

/** A file or folder below the working folder, by its real path. */
type Place = {
  /** The working folder's real path. */
  readonly root: string;
  /** Relative to it, without links, "." or ".."; "" is the folder itself. */
  readonly path: string;
  readonly barred: Barred;
};

/** The folder that paths are relative to, and the files that they must not reach. */
export type Ground = {
  /** The working folder. */
  readonly cwd: string;
  /** uwf's own. */
  readonly storageRoot: string;
};

type Found =
  | { readonly kind: "file"; readonly text: string }
  /** Folders end with a slash. */
  | { readonly kind: "folder"; readonly names: readonly string[] };

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;

/** On Linux a path can continue from an open folder, even if the folder was moved meanwhile. */
const BY_DESCRIPTOR = existsSync("/proc/self/fd");

/**
 * Opens a place from the working folder down, name by name, without following links: since the real path was resolved, a
 * name may have become a link. Refuses uwf's storage root. `make` creates missing folders. Throws system errors, or
 * `OF_STORAGE_ROOT`.
 */
export function openPlace({ root, path, barred }: Place, flags: number, make: boolean): number {
  refuseWithin(root, barred);
  const names = path.split(sep).filter((name) => name !== "");
  const last = names.pop();
  let at = { fd: openSync(root, O_RDONLY | O_DIRECTORY), path: root };
  try {
    for (const name of names) {
      const next = step(at, name, make);
      closeSync(at.fd);
      at = next;
      refuseBarred(at.fd, barred);
    }
    const how = flags | O_NONBLOCK | (last === undefined ? 0 : O_NOFOLLOW);
    return openAllowed(join(pathOf(at), last ?? "."), how, barred);
  } finally {
    closeSync(at.fd);
  }
}

function openAllowed(path: string, flags: number, barred: Barred): number {
  const fd = openSync(path, flags, 0o666);
  try {
    refuseBarred(fd, barred);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

type At = { readonly fd: number; readonly path: string };

function step(at: At, name: string, make: boolean): At {
  const path = join(pathOf(at), name);
  if (make) makeFolder(path);
  return { fd: openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW), path: join(at.path, name) };
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
}

/** A path to the open file, even if it was renamed. */
function pathOf({ fd, path }: At): string {
  return BY_DESCRIPTOR ? `/proc/self/fd/${fd}` : path;
}

/**
 * The real path, with links followed; refused if it is not below the working folder. For a file that does not exist yet,
 * its nearest existing folder counts.
 */
export function placeOf({ cwd, storageRoot }: Ground, path: string): Answered<Place> {
  if (path === "" || path.includes("\0")) return { ok: false, reason: "path is missing or invalid" };
  const root = realpathSync(cwd);
  const real = realPath(resolve(root, path));
  if (real === null) return { ok: false, reason: `${path} is, or leads through, a link that leads nowhere` };
  const below = relative(root, real);
  if (below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below)) {
    return { ok: false, reason: `${path} is outside of the working folder ${root}` };
  }
  return { ok: true, value: { root, path: below, barred: barredIn(storageRoot) } };
}

/** `null` for a dangling link: unknown what it would create. */
function realPath(path: string): string | null {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const real = existing(at);
    if (real !== null) return join(real, ...missing);
    if (isThere(at) || at === dirname(at)) return null;
    missing.unshift(basename(at));
  }
}

function existing(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

const SENTENCES: Readonly<Record<string, string>> = {
  [OF_STORAGE_ROOT]: "belongs to uwf's storage root, which these tools do not touch",
  ENOENT: "does not exist",
  EACCES: "may not be touched (permission denied)",
  EPERM: "may not be touched (operation not permitted)",
  EISDIR: "is a folder",
  ENOTDIR: "leads through something that is not a folder",
  ELOOP: "has become a link meanwhile, which is not followed",
  ENXIO: "is not a regular file",
  ENOSPC: "cannot be written: no space left on the device",
  EROFS: "cannot be written: the file system is read-only",
  ENAMETOOLONG: "has a name that is too long",
};

/** A system error about a path as a sentence for the model; any other error is a bug and is rethrown. */
function refusal(path: string, error: unknown): { readonly ok: false; readonly reason: string } {
  if (!(error instanceof Error && "code" in error)) throw error;
  return { ok: false, reason: `${path || "."} ${SENTENCES[String(error.code)] ?? error.message}` };
}

/** The largest file to read, in bytes. */
const LARGEST = 8 * 1024 * 1024;

/** The text of a file, or the names in a folder. */
export function readPlace(place: Place): Answered<Found> {
  try {
    const fd = openPlace(place, constants.O_RDONLY, false);
    try {
      return readOpen(fd, place);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return refusal(place.path, error);
  }
}

function readOpen(fd: number, { root, path }: Place): Answered<Found> {
  const stat = fstatSync(fd);
  if (stat.isDirectory()) {
    return { ok: true, value: { kind: "folder", names: namesIn(pathOf({ fd, path: join(root, path) })) } };
  }
  if (!stat.isFile()) return { ok: false, reason: `${path} is not a regular file` };
  const bytes = readUpTo(fd, LARGEST + 1);
  const size = bytes.byteLength;
  if (size > LARGEST)
    return { ok: false, reason: `${path} has more than ${LARGEST} bytes; read parts of it with grep or sed` };
  if (bytes.includes(0))
    return { ok: false, reason: `${path} is not text: it has ${size} bytes, NUL among them` };
  return { ok: true, value: { kind: "file", text: bytes.toString("utf8") } };
}

function namesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
}

/** A file's reported size may be wrong (/proc, a file that grows). */
function readUpTo(fd: number, limit: number): Buffer {
  const parts: Buffer[] = [];
  for (let size = 0; size < limit; ) {
    const part = Buffer.alloc(Math.min(limit - size, 256 * 1024));
    const read = readSync(fd, part, 0, part.length, null);
    if (read === 0) break;
    parts.push(part.subarray(0, read));
    size += read;
  }
  return Buffer.concat(parts);
}

const { O_CREAT, O_WRONLY } = constants;

/**
 * Writes `text` to a file in place, so mode, owner and hard links stay; creates missing folders. Returns the number of
 * bytes.
 */
export function writeText(place: Place, text: string): Answered<number> {
  if (place.path === "") return { ok: false, reason: "the working folder is not a file" };
  try {
    const fd = openPlace(place, O_WRONLY | O_CREAT, true);
    try {
      return written(fd, place.path, Buffer.from(text));
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return refusal(place.path, error);
  }
}

function written(fd: number, path: string, bytes: Buffer): Answered<number> {
  if (!fstatSync(fd).isFile()) return { ok: false, reason: `${path} is not a regular file` };
  ftruncateSync(fd, 0);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
  return { ok: true, value: bytes.length };
}
