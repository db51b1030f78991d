import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Random } from "./frame.js";
import { processesOf, textOf, type World } from "./world.js";

/** The program whose calls are counted; a process that is neither is left alone. */
export type Role = "uwf" | "agent";

/** How the system refuses a call. */
export const ERRNOS = ["ENOSPC", "EIO", "EACCES", "EMFILE"] as const;

export type Errno = (typeof ERRNOS)[number];

/**
 * What becomes of the chosen call: the process dies before it, or after it, or takes its uwf with it (agents only), or
 * the process that it started dies; the call is refused; a write takes half of what it was given.
 */
export type Act = "kill-before" | "kill-after" | "kill-both" | "kill-child" | Errno | "short";

/** The n-th call (from 1) that changes something, in every process of a role. */
export type Target = { readonly role: Role; readonly n: number; readonly act: Act };

/** What preload.mjs is told. */
export type Plan = Target & {
  readonly log: string | null;
  /** A bug of plants.mjs. */
  readonly plant: string | null;
};

const PRELOAD = pathToFileURL(join(import.meta.dirname, "inject/preload.mjs")).href;

/** No call has this number: everything is counted and nothing happens. */
export const NOTHING: Target = { role: "uwf", n: 0, act: "kill-before" };

type Surroundings = { readonly log: string | null; readonly plant: string | null };

/** The environment that makes Node.js processes follow a plan. */
export function injected(target: Target, { log, plant }: Surroundings): Readonly<Record<string, string>> {
  const plan: Plan = { ...target, log, plant };
  return { NODE_OPTIONS: `--import ${PRELOAD}`, UWF_FAULTS_INJECT: JSON.stringify(plan) };
}

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
  return textOf(log)
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Call => JSON.parse(line));
}

/** So many at equal distances, the same ones every time. */
export function spread<T>(all: readonly T[], size: number): readonly T[] {
  return Array.from({ length: Math.min(size, all.length) }, (_, index) => {
    const at = Math.floor(((index + 0.5) * all.length) / size);
    return all.slice(at, at + 1);
  }).flat();
}

/** All, in an order that the seed repeats. */
export function shuffled<T>(random: Random, items: readonly T[]): readonly T[] {
  return items
    .map((item) => ({ item, order: random.next() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

const PATIENCE_MS = 30_000;
const POLL_MS = 5;

/** A process has no environment for a moment while it becomes another program: one look can miss it. */
const LOOKS = 3;

/** Waits until no process of this world lives, whoever started it. Throws when one stays. */
export async function quiet(world: World): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  for (let looks = 0; looks < LOOKS; ) {
    const left = processesOf(world);
    looks = left.length > 0 ? 0 : looks + 1;
    if (Date.now() > deadline) throw new Error(`${JSON.stringify(left)} still run in ${world.folder}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
