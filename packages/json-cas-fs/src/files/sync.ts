import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { CasError } from "@uncaged/json-cas";
import { errnoOf, guarded } from "./open.js";

// Some network and FUSE file systems cannot fsync a folder and say so with one of these.
const CANNOT_SYNC_FOLDERS: ReadonlySet<string> = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP"]);

/** Makes the names in a folder durable: what was linked, renamed or created there survives a power cut. */
export function fsyncDir(path: string): void {
  guarded("sync folder", path, () => {
    const fd = openSync(path, "r");
    try {
      fsyncSync(fd);
    } catch (error) {
      if (!CANNOT_SYNC_FOLDERS.has(errnoOf(error) ?? "")) throw error;
    } finally {
      closeSync(fd);
    }
  });
}

/**
 * Other users may never write to a folder, even if the umask is 0 (some CI runners): they would decide what
 * is executed.
 */
const FOLDER_MODE = 0o775;

/** Creates a folder with its parents and makes each new name durable, outermost first. */
export function makeDir(path: string): void {
  const first = guarded("create folder", path, () => mkdirSync(path, { recursive: true, mode: FOLDER_MODE }));
  if (first === undefined) return;
  const parents: string[] = [];
  for (let dir = path; dir.length >= first.length; dir = dirname(dir)) parents.push(dirname(dir));
  for (const parent of parents.reverse()) fsyncDir(parent);
}

/** Throws `IO_FAILED` if the path is a symbolic link: nothing is written through one. */
export function refuseLink(path: string): void {
  if (!isLink(path)) return;
  throw new CasError({
    code: "IO_FAILED",
    operation: "write to",
    path,
    errno: "ELOOP",
    reason: "it is a symbolic link",
  });
}

/** Whether there is a symbolic link; `false` also if there is nothing. */
export function isLink(path: string): boolean {
  return (
    guarded("look at", path, () => lstatSync(path, { throwIfNoEntry: false }))?.isSymbolicLink() ?? false
  );
}

/** When it becomes durable that a file has grown, and that a folder has new names. */
export type Syncs = {
  /** `fd` is the file's, open now. */
  readonly file: (path: string, fd: number) => void;
  readonly folder: (path: string) => void;
};

/** Before the call returns. */
export const AT_ONCE: Syncs = { file: (_path, fd) => fsyncSync(fd), folder: fsyncDir };

/**
 * Syncs each file and folder once when `flush` is called; no caller may report a write before that.
 */
type CollectedSyncs = Syncs & {
  /** Throws `CasError` `IO_FAILED`. */
  readonly flush: () => void;
};

export function collectSyncs(): CollectedSyncs {
  const files = new Set<string>();
  const folders = new Set<string>();
  return {
    file: (path) => void files.add(path),
    folder: (path) => void folders.add(path),
    flush: () => {
      for (const path of files) syncFile(path);
      for (const path of folders) fsyncDir(path);
      files.clear();
      folders.clear();
    },
  };
}

function syncFile(path: string): void {
  guarded("sync", path, () => {
    try {
      const fd = openSync(path, "r");
      try {
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      // Another process has removed it since: then nothing can be lost.
      if (errnoOf(error) !== "ENOENT") throw error;
    }
  });
}
