import { readFileSync } from "node:fs";
import type { Role } from "./plan.js";

/** One call that changes something, as a process told it. */
export type Call = {
  readonly pid: number;
  readonly role: Role;
  readonly n: number;
  /** Without `Sync`: `open`, `write`, `rename`; `exit` is the process's own end. */
  readonly name: string;
  /** Of a descriptor: the path that it was opened with, or `stdout`. */
  readonly path: string;
  /**
   * The second path of a link or rename; the flags of an open; the length of a truncation; the last word of a spawned
   * command; the file behind an agent's stdout.
   */
  readonly to: string | null;
  /** Whether there is a new name in a folder now. */
  readonly created: boolean;
  /** In Base64, what was to be written. */
  readonly data: string | null;
  /** `done`, `killed`, or what the system said. */
  readonly outcome: string;
};

/** The calls in the order in which they came; none when no process has told any. */
export function readCalls(log: string): readonly Call[] {
  let text: string;
  try {
    text = readFileSync(log, "utf8");
  } catch {
    return [];
  }
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Call => JSON.parse(line));
}
