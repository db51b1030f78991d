// Preloaded by node: from the UWF_TEST_WRITES-th write into a file on, the disk is full. Pipes and the terminal are no disk.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

let left = Number(process.env.UWF_TEST_WRITES);
const real = fs.writeSync;
fs.writeSync = (fd, ...rest) => {
  if (fd > 2 && left-- <= 0)
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), {
      code: "ENOSPC",
      errno: -28,
      syscall: "write",
    });
  return real(fd, ...rest);
};
syncBuiltinESMExports();
