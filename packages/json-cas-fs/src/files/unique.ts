import { basename, dirname, join } from "node:path";

let counter = 0;

/**
 * A name that no other process or call uses: pid, a counter and 52 random bits.
 * Uniqueness is all that is asked of it, so `Math.random` will do; node:crypto costs bun 6 ms to load.
 */
export function uniqueName(): string {
  counter += 1;
  const random = Math.floor(Math.random() * 2 ** 52).toString(36);
  return `${process.pid.toString(36)}-${counter.toString(36)}-${random.padStart(11, "0")}`;
}

const TEMPORARY = /\.[0-9a-z]+-[0-9a-z]+-[0-9a-z]{11}\.tmp$/;

/** A path in the same folder, so that rename(2) and link(2) to the final name never cross file systems. */
export function temporaryPath(path: string): string {
  return join(dirname(path), `${basename(path)}.${uniqueName()}.tmp`);
}

/** Whether a file name is one that `temporaryPath` gives. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name);
}

/** The pid in the name of a temporary file. */
export function writerOf(name: string): number | null {
  const pid = /\.([0-9a-z]+)-[0-9a-z]+-[0-9a-z]{11}\.tmp$/.exec(name)?.[1];
  return pid === undefined ? null : Number.parseInt(pid, 36);
}
