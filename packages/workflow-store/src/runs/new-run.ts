import { closeSync, mkdirSync, openSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { bootId, fsyncDir, ioFault, makeDir, refuseLink, writeDurably } from "@uncaged/json-cas-fs";
import {
  err,
  type Fault,
  fault,
  ok,
  type Result,
  type RunRecord,
  type ThreadId,
} from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { removeTree } from "../files/index.js";
import type { Storage } from "../storage/index.js";
import { MAKING, sweepLitter } from "./litter.js";
import { runDirOf, STDERR, STDOUT, threadRunsPath } from "./paths.js";
import type { NewRun, RunDir, RunDraft } from "./types.js";

/**
 * Makes a run's folder: complete and durable, or not there. Needs the thread's lock, and comes before the agent's
 * start, so that no agent ever runs of which the next uwf knows nothing. Completes the draft if there is one.
 */
export function newRun(
  storage: Storage,
  thread: ThreadId,
  run: NewRun,
  draft: RunDraft | null = null,
): Result<RunDir, Fault> {
  const drafted = draft === null ? draftRun(storage, thread, run.token) : ok(draft);
  if (!drafted.ok) return drafted;
  const { head, role, command, token, attempt: count } = run;
  const startedAt = storage.now();
  const record: RunRecord = { token, head, role, command, startedAt, bootId: bootId(), attempt: count };
  const made = attempt(() => makeWhole(drafted.value, record));
  return made.ok ? ok(drafted.value.run) : made;
}

/**
 * The folder of a run in the making, with what the agent's outputs go to: nothing is durable, nobody looks at it, and
 * a crash leaves litter. Needs the thread's lock, until `newRun` completes it or `removeDraft` takes it away.
 */
export function draftRun(storage: Storage, thread: ThreadId, token: string): Result<RunDraft, Fault> {
  const run = runDirOf(storage, thread, token);
  if (run === null) return err(fault("BUG", { reason: `"${token}" is no token of a run` }));
  const parent = threadRunsPath(storage, thread);
  const making = join(parent, `${MAKING}${token}`);
  const made = attempt(() => {
    refuseLink(parent);
    makeDir(parent);
    sweepLitter(parent);
    makeDraft(making, run);
  });
  return made.ok ? ok({ run, making, stdout: join(making, STDOUT), stderr: join(making, STDERR) }) : made;
}

/** A draft that no run comes of; one that cannot be removed is swept as litter. */
export function removeDraft({ making }: RunDraft): void {
  attempt(() => removeTree(making));
}

function makeDraft(making: string, { dir }: RunDir): void {
  try {
    mkdirSync(making);
    // The agent syncs what it prints, but not the name of the file: that is made durable with run.json.
    closeSync(openSync(join(making, STDOUT), "wx", 0o600));
  } catch (error) {
    throw ioFault("make the run", dir, error);
  }
}

function makeWhole({ making, run: { dir } }: RunDraft, record: RunRecord): void {
  try {
    // Under its own name at once: nobody looks into the folder before it has its own.
    writeDurably(join(making, "run.json"), `${JSON.stringify(record)}\n`, null);
    fsyncDir(making);
    renameSync(making, dir);
  } catch (error) {
    throw ioFault("make the run", dir, error);
  }
  fsyncDir(dirname(dir));
}
