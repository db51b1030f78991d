import { existsSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import {
  ENV,
  type Fault,
  hintOf,
  isRetryable,
  messageOf,
  type ReportedFault,
  type RunReport,
  reasonOf,
} from "@uncaged/workflow-protocol";
import { openStorage, type RunDir, readReport, resolveStorageRoot, runDirOf } from "@uncaged/workflow-store";
import { parseThreadId } from "@uncaged/workflow-util";
import type { Host } from "../host/index.js";

// Files of the run that uwf started us for. They help uwf (idle limit, log); none of them can fail a step.

/** At most so often a sign of life is written, in ms. */
const BEAT_MS = 200;

/** Touches the run's heartbeat file; does nothing without a run. */
export function heartbeatOf(run: RunDir | null, now: () => number): () => void {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    if (run === null || now() - last < BEAT_MS) return;
    last = now();
    quietly(() => touch(run, last / 1000));
  };
}

function touch({ dir, heartbeat }: RunDir, seconds: number): void {
  if (existsSync(heartbeat)) utimesSync(heartbeat, seconds, seconds);
  else if (existsSync(dir)) writeFileSync(heartbeat, "", { mode: 0o600 });
}

/**
 * Leaves the failure for uwf, which then says it; `false` when there is no uwf to do so. Looks for the run itself: what
 * fails may be the opening of the thread.
 */
export function reportFault(host: Host, thread: string | null, failure: Fault): boolean {
  const token = host.env[ENV.run];
  const root = resolveStorageRoot(host);
  const id = parseThreadId(thread ?? "");
  if (!token || !root.ok || !id.ok) return false;
  const run = runDirOf(openStorage(root.value, { now: host.now }), id.value, token);
  if (run === null) return false;
  const known = readReport(run) ?? {
    sessionId: null,
    cwd: null,
    model: null,
    usage: null,
    extractUsage: null,
    raw: null,
  };
  return writeReport(run, { ...known, fault: told(failure) });
}

function told(failure: Fault): ReportedFault {
  const reason = reasonOf(failure);
  const retryAfter = "retryAfter" in failure ? (failure.retryAfter ?? null) : null;
  const retryable = isRetryable(failure);
  return {
    code: failure.code,
    reason,
    retryAfter,
    retryable,
    message: messageOf(failure),
    hint: hintOf(failure),
  };
}

/** Leaves what is known of a failed run for uwf; only where uwf made the run's folder. Says whether it stands there. */
export function writeReport(run: RunDir | null, report: RunReport): boolean {
  if (run === null || !existsSync(run.dir)) return false;
  return quietly(() => {
    const temporary = `${run.report}.tmp`;
    writeFileSync(temporary, `${JSON.stringify(report)}\n`, { mode: 0o600 });
    renameSync(temporary, run.report);
  });
}

function quietly(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    // The folder is gone (the thread was killed) or the disk is full: the step itself decides what that means.
    return false;
  }
}
