import { fstatSync, statSync } from "node:fs";

/** Whether a file descriptor is a terminal. node:tty costs bun 7 ms: most are a pipe or a file, which one stat shows. */
export function isTerminal(fd: number): boolean {
  return mayBeTerminal(fd) && process.getBuiltinModule("node:tty").isatty(fd);
}

function mayBeTerminal(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    // Where cron and scripts discard output.
    return stat.isCharacterDevice() && stat.rdev !== statSync("/dev/null").rdev;
  } catch {
    return false; // It is closed.
  }
}
