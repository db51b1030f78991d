import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { errnoOf, ioFault, isMissing, isNotRegular, openRegular, readWithin } from "@uncaged/json-cas-fs";
import {
  err,
  type Fault,
  fault,
  fromCasFault,
  IS_FOLDER,
  LIMITS,
  ok,
  type Result,
} from "@uncaged/workflow-protocol";
import { barredIn, OF_STORAGE_ROOT, openContained } from "@uncaged/workflow-util";
import { attempt } from "./attempt.js";

/** The names in a folder, sorted; none when it does not exist. Throws `IO_FAILED`. */
export function folderNames(path: string): readonly string[] {
  try {
    return readdirSync(path).sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw ioFault("list", path, error);
  }
}

/** Removes a file or a folder with its content; nothing there is fine. Throws `IO_FAILED`. */
export function removeTree(path: string): void {
  try {
    // Retries: a process that is just being ended may still put a file into a folder that is being emptied.
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  } catch (error) {
    throw ioFault("remove", path, error);
  }
}

/** The text that bytes are in UTF-8, with a byte order mark if there is one; `null`: they are not UTF-8. */
export function decodeText(bytes: Buffer, start = 0, end = bytes.length): string | null {
  const text = bytes.toString("utf8", start, end);
  // Damage is read as U+FFFD: only then the bytes are worth a second look.
  if (!text.includes("\ufffd")) return text;
  return process.getBuiltinModule("node:buffer").isUtf8(bytes.subarray(start, end)) ? text : null;
}

function withoutMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

// Files that uwf writes: what it would not have written is damage.

type Links = "followed" | "refused";

/** Bytes of a file that says one thing: a run, an ending, a thread's folder. */
const RECORD_LIMIT = 1024 * 1024;

/**
 * A complete file; `null` if there is none. Anything but a regular file, or one larger than uwf writes, is
 * `STORE_DAMAGED`: a pipe or a device may never end.
 */
export function readBytes(
  path: string,
  limit = RECORD_LIMIT,
  links: Links = "followed",
): Result<Buffer | null, Fault> {
  const read = withRegular(path, (fd) => ({ bytes: readWithin(fd, limit) }), links);
  if (!read.ok || read.value === null) return read.ok ? ok(null) : read;
  const { bytes } = read.value;
  return bytes === null ? damaged(path, `it is larger than ${limit} bytes, the limit`) : ok(bytes);
}

/** A complete text file without its byte order mark; `null` if there is none. */
export function readText(path: string): Result<string | null, Fault> {
  const bytes = readBytes(path);
  if (!bytes.ok || bytes.value === null) return bytes.ok ? ok(null) : bytes;
  const text = decodeText(bytes.value);
  return text === null ? damaged(path, "it is not UTF-8 text") : ok(withoutMark(text));
}

export function damaged(file: string, reason: string): Result<never, Fault> {
  return err(fault("STORE_DAMAGED", { file, reason }));
}

/** What `look` makes of an open file, for files that are not to be held in memory; else as `readBytes`. */
export function withRegular<T>(
  path: string,
  look: (fd: number) => T,
  links: Links = "followed",
): Result<T | null, Fault> {
  if (isMissing(path)) return ok(null);
  let isRegular = true;
  const looked = attempt(() => {
    let fd: number | null = null;
    try {
      fd = openRegular(path, links);
      return look(fd);
    } catch (error) {
      if (fd === null && errnoOf(error) === "ENOENT") return null;
      isRegular = fd !== null || !isNotRegular(error);
      throw ioFault("read", path, error);
    } finally {
      if (fd !== null) closeSync(fd);
    }
  });
  return isRegular ? looked : damaged(path, "it is not a regular file");
}

/** A regular file, open for reading; `null` if there is none. Throws `IO_FAILED`. */
export function openIfThere(path: string, links: Links = "followed"): number | null {
  try {
    return openRegular(path, links);
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return null;
    throw ioFault("read", path, error);
  }
}

/** The last `limit` bytes of a file; none if there is no file. Throws `IO_FAILED`. */
export function readEnd(path: string, limit: number, links: Links = "followed"): Buffer {
  const fd = openIfThere(path, links);
  if (fd === null) return Buffer.alloc(0);
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, limit));
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, size - bytes.length));
  } catch (error) {
    throw ioFault("read", path, error);
  } finally {
    closeSync(fd);
  }
}

/** The same as text that starts at a complete character; "" if there is no file. */
export function readTail(path: string, limit: number, links: Links = "followed"): string {
  const bytes = readEnd(path, limit, links);
  let start = 0;
  // UTF-8 continuation bytes are 10xxxxxx: at most three of them belong to a character that began before the cut.
  while (bytes.length === limit && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.toString("utf8", start);
}

// Files that people and agents write: whatever is there is said as what they did.

/** These mean that there is no file; everything else is a problem of the disk or of permissions. */
const ABSENT = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ERR_INVALID_ARG_VALUE"]);

/** A regular file's UTF-8 text; `null` if there is none. Its size is checked before anything is read. */
export function readOptionalText(path: string, limit: number): Result<string | null, Fault> {
  if (isMissing(path)) return ok(null);
  try {
    // Non-blocking: opening a named pipe without a writer would wait for ever.
    const bytes = readOpened(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), path, limit);
    if (!bytes.ok) return bytes;
    const text = decodeText(bytes.value);
    return text === null ? invalid(path, "it is not UTF-8 text") : ok(withoutMark(text));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    return ABSENT.has(code) ? ok(null) : err(fromCasFault(ioFault("read", path, error).fault));
  }
}

/** Like `readOptionalText`, but the file must exist. */
export function readUserText(path: string, limit: number): Result<string, Fault> {
  const text = readOptionalText(path, limit);
  if (!text.ok) return text;
  return text.value === null ? notReadable(path, "it does not exist") : ok(text.value);
}

/** Closes the file. Throws system errors. */
function readOpened(fd: number, path: string, limit: number): Result<Buffer, Fault> {
  const tooLarge = (size: number | null) => err(fault("TOO_LARGE", { what: path, size, limit }));
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return notReadable(path, stat.isDirectory() ? IS_FOLDER : NOT_REGULAR);
    if (stat.size > limit) return tooLarge(stat.size);
    const bytes = readWithin(fd, limit);
    return bytes === null ? tooLarge(null) : ok(bytes);
  } finally {
    closeSync(fd);
  }
}

function notReadable(path: string, reason: string): Result<never, Fault> {
  return err(fault("FILE_NOT_FOUND", { path, reason }));
}

function invalid(what: string, reason: string): Result<never, Fault> {
  return err(fault("INVALID_INPUT", { what, reason }));
}

/** The folder that paths are relative to, and uwf's own, from which nothing is read. */
type WorkingFolder = {
  /** Absolute. */
  readonly folder: string;
  readonly storageRoot: string;
};

/** The bytes of a regular file inside the working folder, reached through no link. Nothing else is opened. */
export function readWorkingFile(working: WorkingFolder, path: string): Result<Buffer, Fault> {
  try {
    const root = realpathSync(working.folder);
    const inside = pathInside([working.folder, root], path);
    if (inside === null) return invalid(path, `it is outside the working folder ${root}`);
    const full = join(root, inside);
    const unfit = unfitness(full);
    if (unfit !== null) return invalid(path, unfit);
    const place = { root, path: inside, barred: barredIn(working.storageRoot) };
    // Between the look and the opening a name may have become a link: `openContained` follows none.
    return readOpened(openContained(place, constants.O_RDONLY, false), path, LIMITS.file);
  } catch (error) {
    return err(refused(path, error));
  }
}

/** Relative to the first of the folders that it is below; `null` if it is below none. */
function pathInside(folders: readonly [string, ...string[]], path: string): string | null {
  if (path.includes("\0")) return null;
  const full = resolve(folders[0], path);
  const inside = folders
    .map((folder) => relative(folder, full))
    .find((way) => way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
  return inside ?? null;
}

/** What a path leads to, if it is not a regular file by its own name. */
function unfitness(full: string): string | null {
  const stat = lstatSync(full);
  if (stat.isSymbolicLink() || realpathSync(full) !== full) return LINK;
  if (stat.isDirectory()) return IS_FOLDER;
  return stat.isFile() ? null : NOT_REGULAR;
}

const LINK = "it is, or leads through, a symbolic link";
const NOT_REGULAR = "it is not a regular file";

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  ENOTDIR: "it does not exist",
  EACCES: "permission denied",
};

/** A system error as a fault; a bug is thrown on. */
function refused(path: string, error: unknown): Fault {
  if (error instanceof Error && "code" in error && error.code === OF_STORAGE_ROOT) {
    return fault("INVALID_INPUT", { what: path, reason: "it belongs to uwf's storage root" });
  }
  const errno = errnoOf(error);
  if (errno === null) throw error;
  if (errno === "ELOOP") return fault("INVALID_INPUT", { what: path, reason: LINK });
  return fault("FILE_NOT_FOUND", { path, reason: REASONS[errno] ?? errno });
}
