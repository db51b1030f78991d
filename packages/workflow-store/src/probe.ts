import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  statfsSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ioFault, temporaryPath } from "@uncaged/json-cas-fs";
import type { Fault, Result, ThreadId } from "@uncaged/workflow-protocol";
import { attempt } from "./attempt.js";
import { folderNames, removeTree } from "./files.js";
import { threadRunsPath } from "./run-dir.js";
import type { Storage } from "./storage.js";

/** The root's folder, or the nearest one above it that exists: there the root will be made. */
type RootLocation = { readonly folder: string; readonly exists: boolean };

/** What the system says of the root's folder, or of the one that it will be created in. */
export type RootLook = RootLocation & {
  /** Permission bits. */
  readonly mode: number;
  /** Bytes that this user may still write. */
  readonly freeBytes: number;
  /** How many more files can be created; `null` if the file system does not count them. */
  readonly freeFiles: number | null;
  /** The file system's magic number (statfs(2), Linux). */
  readonly fileSystem: number;
};

/** Looks and touches nothing. `IO_FAILED` when a missing root could not be made. */
export function inspectRoot(root: string): Result<RootLook, Fault> {
  return attempt(() => {
    const place = findRootLocation(root);
    try {
      if (!place.exists) accessSync(place.folder, constants.W_OK | constants.X_OK);
      const { bavail, bsize, files, ffree, type } = statfsSync(place.folder);
      return {
        ...place,
        mode: statSync(place.folder).mode & 0o7777,
        freeBytes: bavail * bsize,
        freeFiles: files === 0 ? null : ffree,
        fileSystem: type,
      };
    } catch (error) {
      throw ioFault("use the folder", place.folder, error);
    }
  });
}

function findRootLocation(root: string): RootLocation {
  for (let folder = root; ; folder = dirname(folder)) {
    const exists = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (exists || folder === dirname(folder)) return { folder, exists: folder === root };
  }
}

/**
 * Makes a temporary file in the root, writes a byte and removes it again. Gives the file's time by the clock of the
 * file system, epoch ms: it can be another machine's.
 */
export function tryWriting(root: string): Result<number, Fault> {
  const file = temporaryPath(`${root}/doctor`);
  return attempt(() => {
    try {
      return writeByte(file);
    } catch (error) {
      throw ioFault("write", file, error);
    } finally {
      removeTree(file);
    }
  });
}

function writeByte(file: string): number {
  const fd = openSync(file, "wx", 0o600);
  try {
    writeSync(fd, "\n");
    return fstatSync(fd).mtimeMs;
  } finally {
    closeSync(fd);
  }
}

/** A folder or file of the root that steps write to, and why this user cannot. */
type Unwritable = { readonly path: string; readonly failure: Fault };

/**
 * One's own root can contain folders and files of another user, who once ran uwf in it, for example `sudo uwf`. Files
 * that are replaced need only their folder; these are what is appended to. Changes nothing.
 */
export function unwritablePaths(storage: Storage, thread: ThreadId | null): readonly Unwritable[] {
  const { paths } = storage;
  const index = join(paths.cas, "_index");
  const runs = thread === null ? folderPaths(paths.runs) : [threadRunsPath(storage, thread)];
  const folders = [paths.cas, index, paths.runs, paths.locks, paths.logs, ...runs];
  const files = [...folderPaths(index), paths.history];
  return [
    ...folders.flatMap((path) => refusal(path, constants.W_OK | constants.X_OK)),
    ...files.flatMap((path) => refusal(path, constants.W_OK)),
  ];
}

function folderPaths(folder: string): readonly string[] {
  const names = attempt(() => folderNames(folder));
  return names.ok ? names.value.map((name) => join(folder, name)) : [];
}

/** One that does not exist yet is made when it is needed. */
function refusal(path: string, mode: number): readonly Unwritable[] {
  const access = attempt(() => {
    try {
      if (statSync(path, { throwIfNoEntry: false }) !== undefined) accessSync(path, mode);
    } catch (error) {
      throw ioFault("write", path, error);
    }
  });
  return access.ok ? [] : [{ path, failure: access.error }];
}
