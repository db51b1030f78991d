import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/**
 * No test outlives a power cut, and waiting for the disk would be most of their time: in this process fsync only
 * looks whether its file is open. Which calls are made, and in which order, is tested all the same.
 */
export function skipFsync(): void {
  const fsyncSync = (fd: number): void => {
    fs.fstatSync(fd);
  };
  Object.assign(fs, { fsyncSync });
  syncBuiltinESMExports();
}
