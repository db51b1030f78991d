import {
  type Fault,
  NO_LIMITS,
  ok,
  type Result,
  type SpendingLimits,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { type RecordShape, readThreadRecord, threadFilePath, writeThreadRecord } from "../runs/index.js";
import type { Storage } from "../storage.js";

// runs/<thread>/limits.json   what a person allows the thread to spend; replaced under the index lock

const LIMITS: RecordShape<SpendingLimits> = {
  name: "limits.json",
  asRecord: ({ maxSteps, maxCostUsd, maxMinutes }) =>
    isLimit(maxSteps) && isLimit(maxCostUsd) && isLimit(maxMinutes)
      ? { maxSteps, maxCostUsd, maxMinutes }
      : null,
  otherwise: "it is not {maxSteps, maxCostUsd, maxMinutes}",
};

/** The limits that a person has set for this thread; without any, all of them are unset. */
export function readLimits(storage: Storage, thread: ThreadId): Result<SpendingLimits, Fault> {
  const limits = readThreadRecord(storage, thread, LIMITS);
  return limits.ok ? ok(limits.value ?? NO_LIMITS) : limits;
}

function isLimit(value: unknown): value is number | null {
  return value === null || isAmount(value);
}

export function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && Number.isFinite(value);
}

/** Needs the index lock, or a thread that no other process knows yet. */
export function writeLimits(
  storage: Storage,
  thread: ThreadId,
  { maxSteps, maxCostUsd, maxMinutes }: SpendingLimits,
): Result<void, Fault> {
  return writeThreadRecord(storage, thread, LIMITS.name, { maxSteps, maxCostUsd, maxMinutes });
}

export function limitsPath(storage: Storage, thread: ThreadId): string {
  return threadFilePath(storage, thread, LIMITS.name);
}
