/** Whether a person sits at this file descriptor. node:tty is loaded only by who asks: it costs bun 7 ms. */
export function isTerminal(fd: number): boolean {
  return process.getBuiltinModule("node:tty").isatty(fd);
}
