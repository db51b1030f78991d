import { join } from "node:path";
import { pathToFileURL } from "node:url";

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

const PRELOAD = pathToFileURL(join(import.meta.dirname, "preload.mjs")).href;

/** No call has this number: everything is counted and nothing happens. */
export const NOTHING: Target = { role: "uwf", n: 0, act: "kill-before" };

export type Surroundings = { readonly log: string | null; readonly plant: string | null };

/** The environment that makes Node.js processes follow a plan. */
export function injected(target: Target, { log, plant }: Surroundings): Readonly<Record<string, string>> {
  const plan: Plan = { ...target, log, plant };
  return { NODE_OPTIONS: `--import ${PRELOAD}`, UWF_FAULTS_INJECT: JSON.stringify(plan) };
}
