import { closeSync, mkdirSync, openSync, renameSync } from "node:fs";
import { join } from "node:path";
import {
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
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type RunRecord,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt } from "../attempt.js";
import { folderNames, removeTree } from "../files.js";
import type { Storage } from "../storage.js";
import { runDirOf, runFilesIn, runFileTail, threadRunsPath } from "./paths.js";
import type { NewRun, RunDir } from "./types.js";

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
