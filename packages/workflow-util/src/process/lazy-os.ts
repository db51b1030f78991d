/** node:os, loaded when it is needed: it costs bun 4 ms, and a run that nobody interrupts needs nothing of it. */
export function lazyOs(): typeof import("node:os") {
  return process.getBuiltinModule("node:os");
}
