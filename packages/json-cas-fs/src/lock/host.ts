import { readProc } from "./proc.js";

let name: string | null = null;

/**
 * This machine's name, the same for all of a process's life: whoever renames the machine makes strangers of those that run.
 * From /proc where there is one: loading node:os costs bun 4 ms of every step.
 */
export function hostName(): string {
  name ??= readProc("/proc/sys/kernel/hostname")?.trim() ?? process.getBuiltinModule("node:os").hostname();
  return name;
}
