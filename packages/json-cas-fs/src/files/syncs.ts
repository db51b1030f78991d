import { closeSync, fsyncSync, openSync } from "node:fs";
import { errnoOf, guarded } from "./io-fault.js";
import { fsyncDir } from "./sync.js";

/** When it becomes durable that a file has grown, and that a folder has new names. */
export type Syncs = {
  /** `fd` is the file's, open now. */
  readonly file: (path: string, fd: number) => void;
  readonly folder: (path: string) => void;
};

/** Before the call returns. */
export const AT_ONCE: Syncs = { file: (_path, fd) => fsyncSync(fd), folder: fsyncDir };

/** Once for each file and folder, when `flush` is called: nobody may be told of what was written before that. */
export type CollectedSyncs = Syncs & {
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
      // Somebody has taken it away since: then there is nothing that could be lost.
      if (errnoOf(error) !== "ENOENT") throw error;
    }
  });
}
