import { join } from "node:path";
import type { ThreadId } from "@uncaged/workflow-protocol";
import type { Storage } from "../storage/index.js";
import type { RunDir } from "./types.js";

/** A plain name, and not that of the thread's `ending`, which lives beside the runs. */
const TOKEN = /^(?!ending$)[A-Za-z0-9_-]{1,128}$/;

export function threadRunsPath(storage: Storage, thread: ThreadId): string {
  return join(storage.paths.runs, thread);
}

/** The files of a run, whether it exists or not; `null` for a token that could lead out of the folder. */
export function runDirOf(storage: Storage, thread: ThreadId, token: string): RunDir | null {
  return TOKEN.test(token) ? runFilesIn(join(threadRunsPath(storage, thread), token), token) : null;
}

/** The files of a run in the folder where it lies, or is being made. */
export function runFilesIn(dir: string, token: string): RunDir {
  return {
    dir,
    token,
    runFile: join(dir, "run.json"),
    pidFile: join(dir, "pid"),
    stdout: join(dir, "stdout"),
    stderr: join(dir, "stderr"),
    heartbeat: join(dir, "heartbeat"),
    report: join(dir, "report.json"),
    released: join(dir, "released"),
  };
}
