import { closeSync, constants, fstatSync, lstatSync, realpathSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { errnoOf, readWithin } from "@uncaged/json-cas-fs";
import { err, type Fault, fault, IS_FOLDER, LIMITS, ok, type Result } from "@uncaged/workflow-protocol";
import { barredIn, OF_STORAGE_ROOT, openContained } from "@uncaged/workflow-util";

/** The folder that paths are relative to, and uwf's own, from which nothing is read. */
export type WorkingFolder = {
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
    const fd = openContained(place, constants.O_RDONLY, false);
    try {
      return readOpen(fd, path);
    } finally {
      closeSync(fd);
    }
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

function readOpen(fd: number, path: string): Result<Buffer, Fault> {
  const stat = fstatSync(fd);
  if (!stat.isFile()) return invalid(path, NOT_REGULAR);
  const tooLarge = (size: number | null) => err(fault("TOO_LARGE", { what: path, size, limit: LIMITS.file }));
  if (stat.size > LIMITS.file) return tooLarge(stat.size);
  const bytes = readWithin(fd, LIMITS.file);
  return bytes === null ? tooLarge(null) : ok(bytes);
}

function invalid(what: string, reason: string): Result<never, Fault> {
  return err(fault("INVALID_INPUT", { what, reason }));
}

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
