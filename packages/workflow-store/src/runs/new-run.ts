import { closeSync, mkdirSync, openSync, renameSync } from "node:fs";
import { join } from "node:path";
import { isHash } from "@uncaged/json-cas";
import {
  createFileExclusive,
  fsyncDir,
  ioFault,
  makeDir,
  ownOrigin,
  refuseLink,
  writeDurably,
} from "@uncaged/json-cas-fs";
import {
  err,
  FAILURE_REASONS,
  type Fault,
  fault,
  ok,
  type ReportedFault,
  type Result,
  type RunRecord,
  type RunReport,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt } from "../attempt.js";
import { folderNames, removeTree } from "../files.js";
import { asUsage, parseRecord } from "../json.js";
import type { Storage } from "../storage.js";
import { runDirOf, runFilesIn, runFileTail, threadRunsPath } from "./paths.js";
import type { NewRun, RunDir } from "./types.js";

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

// A run appears and disappears whole, by rename. What a crash leaves half made or half removed starts with a dot:
// no reader looks at it, and the next change of this thread's runs, under the thread's lock, sweeps it.

const MAKING = ".new-";
export const GONE = ".gone-";

/** Throws `IO_FAILED`. */
export function sweepLitter(threadRuns: string): void {
  for (const name of folderNames(threadRuns)) {
    if (name.startsWith(MAKING) || name.startsWith(GONE)) removeTree(join(threadRuns, name));
  }
}

/**
 * Makes a run's folder: complete and durable, or not there. Needs the thread's lock, and comes before the agent's
 * start, so that no agent ever runs of which the next uwf knows nothing.
 */
export function newRun(storage: Storage, thread: ThreadId, run: NewRun): Result<RunDir, Fault> {
  const files = runDirOf(storage, thread, run.token);
  if (files === null) return err(fault("BUG", { reason: `"${run.token}" is not the token of a run` }));
  const { head, role, command, token, attempt: count } = run;
  const startedAt = storage.now();
  const origin = ownOrigin();
  const record: RunRecord = { token, head, role, command, startedAt, ...origin, attempt: count };
  const parent = threadRunsPath(storage, thread);
  const made = attempt(() => {
    refuseLink(parent);
    makeDir(parent);
    sweepLitter(parent);
    makeWhole(parent, files, record);
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
    // Under its final name at once: nobody looks into the folder before it has its own.
    writeDurably(making.runFile, `${JSON.stringify(record)}\n`, null);
    fsyncDir(making.dir);
    renameSync(making.dir, dir);
  } catch (error) {
    throw ioFault("make the run", dir, error);
  }
  fsyncDir(parent);
}

/** Reports are far smaller; a longer file is not one. */
const LONGEST_REPORT = 64 * 1024;
const LONGEST_MESSAGE = 8000;
const LONGEST_HINT = 1000;
const LONGEST_CODE = 64;

/** A rate limit that ends later is as good as one without a time. */
const LONGEST_RETRY_AFTER = 31 * 24 * 3600;

/** What the agent told about its run; `null` when it told nothing. A bad field counts as not told. */
export function readReport(run: RunDir): RunReport | null {
  const text = attempt(() => runFileTail(run.report, LONGEST_REPORT));
  const record = parseRecord((text.ok ? text.value : null) ?? "");
  if (record === null) return null;
  const { sessionId, cwd, model, usage, extractUsage, raw, fault } = record;
  return {
    sessionId: typeof sessionId === "string" ? sessionId : null,
    cwd: typeof cwd === "string" ? cwd : null,
    model: typeof model === "string" ? model : null,
    usage: asUsage(usage),
    extractUsage: asUsage(extractUsage),
    raw: isHash(raw) ? raw : null,
    fault: asFault(fault),
  };
}

function asFault(value: unknown): ReportedFault | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const { code, reason, retryAfter, retryable, message, hint }: Readonly<Record<string, unknown>> = {
    ...value,
  };
  if (typeof code !== "string" || typeof message !== "string" || message.trim() === "") return null;
  return {
    code: code.slice(0, LONGEST_CODE),
    reason: FAILURE_REASONS.find((known) => known === reason) ?? null,
    retryAfter: isWait(retryAfter) ? Math.ceil(retryAfter) : null,
    retryable: retryable !== false,
    message: message.slice(0, LONGEST_MESSAGE),
    hint: typeof hint === "string" && hint.trim() !== "" ? hint.slice(0, LONGEST_HINT) : null,
  };
}

function isWait(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= LONGEST_RETRY_AFTER;
}
