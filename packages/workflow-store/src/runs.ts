import { closeSync, existsSync, mkdirSync, openSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { isHash } from "@uncaged/json-cas";
import {
  asPlace,
  createFileExclusive,
  fsyncDir,
  identifyFolder,
  ioFault,
  makeDir,
  ownOrigin,
  refuseLink,
  writeDurably,
} from "@uncaged/json-cas-fs";
import {
  type CasRef,
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
import { attempt } from "./attempt.js";
import { damaged, folderNames, readText, removeTree } from "./files.js";
import { isEpochMs, isText, orNull, parseRecord, shapeOf } from "./record.js";
import {
  type FoundRun,
  isCopiedRun,
  type RunDir,
  runDirOf,
  runFilesIn,
  runFileTail,
  threadRunsPath,
} from "./run-dir.js";
import type { Storage } from "./storage.js";

// A run appears and disappears whole, by rename. What a crash leaves half made or half removed starts with a dot:
// no reader looks at it, and the next change of this thread's runs, under the thread's lock, sweeps it.

const MAKING = ".new-";
const GONE = ".gone-";

/** Throws `IO_FAILED`. */
function sweepLitter(threadRuns: string): void {
  for (const name of folderNames(threadRuns)) {
    if (name.startsWith(MAKING) || name.startsWith(GONE)) removeTree(join(threadRuns, name));
  }
}

type NewRun = {
  readonly head: CasRef;
  readonly role: string;
  readonly command: readonly string[];
  /** Random, of letters, digits, `-` and `_`; also the value of UWF_RUN. */
  readonly token: string;
  /** From 1; more are retries within one `thread step`. */
  readonly attempt: number;
};

/**
 * Makes a run's folder: complete and durable, or not there. Needs the thread's lock, and comes before the agent's
 * start, so that no agent ever runs of which the next uwf knows nothing.
 */
export function newRun(storage: Storage, thread: ThreadId, run: NewRun): Result<RunDir, Fault> {
  const files = runDirOf(storage, thread, run.token);
  if (files === null) return err(fault("BUG", { reason: `"${run.token}" is not the token of a run` }));
  const { head, role, command, token, attempt: count } = run;
  const startedAt = storage.now();
  const parent = threadRunsPath(storage, thread);
  const made = attempt(() => {
    refuseLink(parent);
    makeDir(parent);
    sweepLitter(parent);
    const origin = { ...ownOrigin(), place: identifyFolder(storage.paths.runs) };
    makeWhole(parent, files, { token, head, role, command, startedAt, ...origin, attempt: count });
  });
  return made.ok ? ok(files) : made;
}

function makeWhole(parent: string, run: RunDir, record: RunRecord): void {
  const { dir, token } = run;
  const making = runFilesIn(join(parent, `${MAKING}${token}`), token);
  try {
    mkdirSync(making.dir, 0o775);
    // The agent syncs what it prints, but not the name of the file: that is made durable here, with run.json.
    closeSync(openSync(making.stdout, "wx", 0o600));
    // The file gets its final name at once: no reader looks into the folder before the rename below.
    writeDurably(making.runFile, `${JSON.stringify(record)}\n`, null);
    fsyncDir(making.dir);
    renameSync(making.dir, dir);
  } catch (error) {
    throw ioFault("make the run", dir, error);
  }
  fsyncDir(parent);
}

/** The content of `pid` in place of a process. */
const BARRED = "barred\n";

/**
 * Takes the place of the agent's `pid` file. The agent's own process creates it, only if it does not exist, before
 * it becomes the agent: so either the run is barred and its agent can never start, or the agent has started.
 * Throws `CasError` `IO_FAILED`.
 */
export function barRun(run: RunDir): "barred" | "started" {
  if (createFileExclusive(run.pidFile, BARRED)) return "barred";
  return runFileTail(run.pidFile, 2 * BARRED.length) === BARRED ? "barred" : "started";
}

/** The runs of a thread, oldest first; there is more than one only if a person changed the folder. */
export function findRuns(storage: Storage, thread: ThreadId): Result<readonly FoundRun[], Fault> {
  const found = surveyRuns(storage, thread);
  if (!found.ok) return found;
  const [first] = found.value.damaged;
  return first === undefined ? ok(found.value.runs) : err(first.damage);
}

/** A run of which only its folder and its token are known. */
export type DamagedRun = { readonly run: RunDir; readonly damage: Fault };

/** `runs`: oldest first. */
type SurveyedRuns = { readonly runs: readonly FoundRun[]; readonly damaged: readonly DamagedRun[] };

/** The same, with unreadable ones listed separately: for callers that must end the runs and adopt no result. */
export function surveyRuns(storage: Storage, thread: ThreadId): Result<SurveyedRuns, Fault> {
  const names = attempt(() => folderNames(threadRunsPath(storage, thread)));
  if (!names.ok) return names;
  const runs: FoundRun[] = [];
  const unreadable: DamagedRun[] = [];
  for (const name of names.value) {
    const run = runDirOf(storage, thread, name);
    if (run === null) continue;
    const record = readRunRecord(run);
    if (!record.ok) unreadable.push({ run, damage: record.error });
    else if (record.value !== null) runs.push({ ...run, record: record.value });
  }
  return ok({ runs: runs.sort((a, b) => a.record.startedAt - b.record.startedAt), damaged: unreadable });
}

/** A run's run.json; `null` when there is nothing of a run: not one, or one that was taken away at this moment. */
export function readRunRecord(files: RunDir): Result<RunRecord | null, Fault> {
  const { runFile, token } = files;
  const text = readText(runFile);
  if (!text.ok) return text;
  if (text.value === null) return absent(files);
  const record = asRunRecord(text.value);
  if (record !== null && record.token === token) return ok(record);
  return damaged(runFile, record === null ? "it is not a run" : `it is of the run ${record.token}`);
}

/**
 * A run appears and disappears atomically: if its agent has left something, a run.json has been lost, and perhaps
 * a result.
 */
function absent({ runFile, pidFile, stdout }: RunDir): Result<null, Fault> {
  if (!existsSync(pidFile) && !existsSync(stdout)) return ok(null);
  return damaged(runFile, "it is missing, but the rest of the run exists");
}

const RUN = shapeOf<Omit<RunRecord, "place">>({
  ...{ token: isText, head: isHash, role: isText, command: isTexts, startedAt: isEpochMs },
  ...{
    host: orNull(isText),
    machineId: orNull(isText),
    bootId: orNull(isText),
    pidNamespace: orNull(isText),
  },
  attempt: (value) => typeof value === "number",
});

function asRunRecord(text: string): RunRecord | null {
  const fields = parseRecord(text) ?? {};
  const record = RUN.read(fields);
  return record === null ? null : { ...record, place: asPlace(fields.place) };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText);
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
