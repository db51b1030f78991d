import { existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { isHash } from "@uncaged/json-cas";
import { asPlace, fsyncDir, ioFault } from "@uncaged/json-cas-fs";
import {
  err,
  type Fault,
  fault,
  LIMITS,
  ok,
  type Result,
  type RunRecord,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { removeCgroup } from "@uncaged/workflow-util";
import { attempt } from "../attempt.js";
import { folderNames, readRecord } from "../files.js";
import { isEpochMs, parseRecord } from "../json.js";
import type { Storage } from "../storage.js";
import { GONE, sweepLitter } from "./new-run.js";
import { isCopiedRun, runDirOf, runFileTail, threadRunsPath } from "./paths.js";
import type { DamagedRun, FoundRun, RunDir, SurveyedRuns } from "./types.js";

/** The runs of a thread, oldest first; there is more than one only if a person changed the folder. */
export function findRuns(storage: Storage, thread: ThreadId): Result<readonly FoundRun[], Fault> {
  const found = surveyRuns(storage, thread);
  if (!found.ok) return found;
  const [first] = found.value.damaged;
  return first === undefined ? ok(found.value.runs) : err(first.damage);
}

/** The same, with unreadable ones listed separately: for callers that must end the runs and adopt no result. */
export function surveyRuns(storage: Storage, thread: ThreadId): Result<SurveyedRuns, Fault> {
  const names = attempt(() => folderNames(threadRunsPath(storage, thread)));
  if (!names.ok) return names;
  const runs: FoundRun[] = [];
  const damaged: DamagedRun[] = [];
  for (const name of names.value) {
    const run = runDirOf(storage, thread, name);
    if (run === null) continue;
    const record = readRunRecord(run);
    if (!record.ok) damaged.push({ run, damage: record.error });
    else if (record.value !== null) runs.push({ ...run, record: record.value });
  }
  return ok({ runs: runs.sort((a, b) => a.record.startedAt - b.record.startedAt), damaged });
}

/** A run's run.json; `null` when there is nothing of a run: not one, or one that was taken away at this moment. */
export function readRunRecord(files: RunDir): Result<RunRecord | null, Fault> {
  const { runFile, token } = files;
  const text = readRecord(runFile);
  if (!text.ok) return text;
  if (text.value === null) return absent(files);
  const record = asRunRecord(text.value);
  if (record !== null && record.token === token) return ok(record);
  const reason = record === null ? "it is not a run" : `it is of the run ${record.token}`;
  return err(fault("STORE_DAMAGED", { file: runFile, reason }));
}

/**
 * A run appears and disappears atomically: if its agent has left something, a run.json has been lost, and perhaps
 * a result.
 */
function absent({ runFile, pidFile, stdout }: RunDir): Result<null, Fault> {
  if (!existsSync(pidFile) && !existsSync(stdout)) return ok(null);
  return err(
    fault("STORE_DAMAGED", { file: runFile, reason: "it is missing, but the rest of the run exists" }),
  );
}

function asRunRecord(text: string): RunRecord | null {
  const record = parseRecord(text);
  if (record === null) return null;
  const { token, head, role, command, startedAt, attempt: count } = record;
  const known = typeof token === "string" && isHash(head) && typeof role === "string" && isEpochMs(startedAt);
  if (!known || !isTexts(command) || typeof count !== "number") return null;
  const { host, machineId, bootId, pidNamespace } = record;
  if (!isTextOrNull(host) || !isTextOrNull(machineId)) return null;
  if (!isTextOrNull(bootId) || !isTextOrNull(pidNamespace)) return null;
  const origin = { host, machineId, bootId, pidNamespace, place: asPlace(record.place) };
  return { token, head, role, command, startedAt, ...origin, attempt: count };
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}

/**
 * Takes a run away, at once for every reader; a crash leaves litter, never half a run. Needs the thread's lock; one
 * that is gone is fine. The rename is synced before the files go: a power cut must not bring back a run without its
 * run.json, which would look like damage.
 */
export function removeRun(run: RunDir | FoundRun): Result<void, Fault> {
  const { dir, token } = run;
  const isForeign = "record" in run && isCopiedRun(run);
  return attempt(() => {
    const parent = dirname(dir);
    if (existsSync(dir)) {
      rename(dir, join(parent, `${GONE}${token}`));
      fsyncDir(parent);
    }
    sweepLitter(parent);
    if (!isForeign) removeCgroup(token);
  });
}

function rename(dir: string, gone: string): void {
  try {
    renameSync(dir, gone);
  } catch (error) {
    throw ioFault("remove the run", dir, error);
  }
}

// Both throw `CasError` `IO_FAILED` for a file that cannot be read.

/**
 * The end of the agent's stdout, all that uwf ever reads of it; `null` when the agent has replaced the file.
 */
export function stdoutTail(run: RunDir): string | null {
  return runFileTail(run.stdout, LIMITS.agentStdoutTail);
}

/** The last `bytes` of the agent's stderr, if there is any. */
export function stderrTail(run: RunDir, bytes: number): string {
  return runFileTail(run.stderr, bytes) ?? "";
}
