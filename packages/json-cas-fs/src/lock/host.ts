import { readProc } from "./proc.js";

/** This machine's name. From /proc where there is one: loading node:os costs bun 4 ms of every step. */
export function hostName(): string {
  return readProc("/proc/sys/kernel/hostname")?.trim() ?? process.getBuiltinModule("node:os").hostname();
}
