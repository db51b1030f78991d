import type { ThreadId } from "./ids.js";

// What a thread may spend, with all the threads that it has started, and what it has spent.

/** `null`: no limit. */
export type SpendingLimits = {
  /** Recorded steps. */
  readonly maxSteps: number | null;
  readonly maxCostUsd: number | null;
  /** Of agents at work; waiting costs none. */
  readonly maxMinutes: number | null;
};

export type LimitName = keyof SpendingLimits;

export const NO_LIMITS: SpendingLimits = { maxSteps: null, maxCostUsd: null, maxMinutes: null };

/** What runs have cost, failed ones included. */
export type Spent = {
  readonly steps: number;
  /** As far as it is known. */
  readonly costUsd: number;
  readonly minutes: number;
  /** Runs whose agent did not tell its cost. */
  readonly unknownCost: number;
};

/** A line of `runs/<thread>/spent.jsonl`. */
export type SpentLine = {
  /** The run's token, or the step's hash where there was no run: what stands there twice counts once. */
  readonly run: string;
  readonly steps: number;
  readonly ms: number;
  readonly costUsd: number;
  readonly unknownCost: number;
};

/** Why no further run starts. */
export type ReachedLimit = {
  /** Whose limit: the thread's own, or that of one above it. */
  readonly of: ThreadId;
  readonly limit: LimitName;
  readonly max: number;
  readonly spent: number;
};

const SPENT: Readonly<Record<LimitName, (spent: number, max: number) => string>> = {
  maxSteps: (spent, max) => `${spent} ${spent === 1 ? "step" : "steps"} taken; the limit is ${max}`,
  maxCostUsd: (spent, max) => `$${spent} spent; the limit is $${max}`,
  maxMinutes: (spent, max) => `${spent} minutes of agent time used; the limit is ${max}`,
};

const OPTIONS: Readonly<Record<LimitName, string>> = {
  maxSteps: "--max-steps",
  maxCostUsd: "--max-cost",
  maxMinutes: "--max-minutes",
};

/** `$5.12 spent; the limit is $5`. */
export function reachedText({ limit, max, spent }: Omit<ReachedLimit, "of">): string {
  return SPENT[limit](spent, max);
}

/** The command that allows as much again. */
export function raiseCommand({
  of,
  limit,
  max,
  spent,
}: Omit<ReachedLimit, "of"> & { readonly of: string }): string {
  const more = Math.ceil(Math.max(spent, max) + Math.max(max, 1));
  return `uwf thread limit ${of} ${OPTIONS[limit]} ${more}`;
}
