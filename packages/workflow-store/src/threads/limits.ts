import { join } from "node:path";
import { makeDir, refuseLink, replaceFile } from "@uncaged/json-cas-fs";
import {
  err,
  type Fault,
  fault,
  NO_LIMITS,
  ok,
  type Result,
  type SpendingLimits,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt } from "../attempt.js";
import { readRecord } from "../files.js";
import { parseRecord } from "../json.js";
import { threadRunsPath } from "../runs/index.js";
import type { Storage } from "../storage.js";

// runs/<thread>/limits.json   what a person allows the thread to spend; replaced by rename, under the index lock

/** The limits that a person has set for this thread; without any, all of them are unset. */
export function readLimits(storage: Storage, thread: ThreadId): Result<SpendingLimits, Fault> {
  const file = limitsPath(storage, thread);
  const text = readRecord(file);
  if (!text.ok || text.value === null) return text.ok ? ok(NO_LIMITS) : text;
  const limits = asLimits(parseRecord(text.value) ?? {});
  if (limits !== null) return ok(limits);
  return err(fault("STORE_DAMAGED", { file, reason: "it is not {maxSteps, maxCostUsd, maxMinutes}" }));
}

function asLimits(record: Readonly<Record<string, unknown>>): SpendingLimits | null {
  const { maxSteps, maxCostUsd, maxMinutes } = record;
  return isLimit(maxSteps) && isLimit(maxCostUsd) && isLimit(maxMinutes)
    ? { maxSteps, maxCostUsd, maxMinutes }
    : null;
}

function isLimit(value: unknown): value is number | null {
  return value === null || isAmount(value);
}

export function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && Number.isFinite(value);
}

/** Needs the index lock, or a thread that no other process knows yet. */
export function writeLimits(storage: Storage, thread: ThreadId, limits: SpendingLimits): Result<void, Fault> {
  return attempt(() => {
    const { maxSteps, maxCostUsd, maxMinutes } = limits;
    const folder = threadRunsPath(storage, thread);
    refuseLink(folder);
    makeDir(folder);
    const text = `${JSON.stringify({ maxSteps, maxCostUsd, maxMinutes })}\n`;
    replaceFile(limitsPath(storage, thread), text, null);
  });
}

export function limitsPath(storage: Storage, thread: ThreadId): string {
  return join(threadRunsPath(storage, thread), "limits.json");
}
