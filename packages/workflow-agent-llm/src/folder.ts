import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  lstatSync,
  readdirSync,
  readSync,
  realpathSync,
  writeSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { err, ok, type Result } from "@uncaged/workflow-agent-kit";
import {
  barredIn,
  type ContainedPath,
  OF_STORAGE_ROOT,
  openContained,
  pathOfOpen,
} from "@uncaged/workflow-util";

/** The value, or a sentence for the model. */
type Answered<T> = Result<T, string>;

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

/**
 * The real path, with links followed; refused if it is not below the working folder. For a file that does not exist yet,
 * its nearest existing folder counts.
 */
export function placeOf({ cwd, storageRoot }: Ground, path: string): Answered<ContainedPath> {
  if (path === "" || path.includes("\0")) return err("path is missing or invalid");
  const root = realpathSync(cwd);
  const real = realPath(resolve(root, path));
  if (real === null) return err(`${path} is, or leads through, a link that leads nowhere`);
  const below = relative(root, real);
  if (below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below)) {
    return err(`${path} is outside of the working folder ${root}`);
  }
  return ok({ root, path: below, barred: barredIn(storageRoot) });
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
function refusal(path: string, error: unknown): Result<never, string> {
  if (!(error instanceof Error && "code" in error)) throw error;
  return err(`${path || "."} ${SENTENCES[String(error.code)] ?? error.message}`);
}

/** The largest file to read, in bytes. */
const LARGEST = 8 * 1024 * 1024;

/** The text of a file, or the names in a folder. */
export function readPlace(place: ContainedPath): Answered<Found> {
  try {
    const fd = openContained(place, constants.O_RDONLY, false);
    try {
      return readOpen(fd, place);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return refusal(place.path, error);
  }
}

function readOpen(fd: number, { root, path }: ContainedPath): Answered<Found> {
  const stat = fstatSync(fd);
  if (stat.isDirectory()) {
    return ok({ kind: "folder", names: namesIn(pathOfOpen({ fd, path: join(root, path) })) });
  }
  if (!stat.isFile()) return err(`${path} is not a regular file`);
  const bytes = readUpTo(fd, LARGEST + 1);
  const size = bytes.byteLength;
  if (size > LARGEST) return err(`${path} has more than ${LARGEST} bytes; read parts of it with grep or sed`);
  if (bytes.includes(0)) return err(`${path} is not text: it has ${size} bytes, NUL among them`);
  return ok({ kind: "file", text: bytes.toString("utf8") });
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
export function writeText(place: ContainedPath, text: string): Answered<number> {
  if (place.path === "") return err("the working folder is not a file");
  try {
    const fd = openContained(place, O_WRONLY | O_CREAT, true);
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
  if (!fstatSync(fd).isFile()) return err(`${path} is not a regular file`);
  ftruncateSync(fd, 0);
  for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
  return ok(bytes.length);
}
