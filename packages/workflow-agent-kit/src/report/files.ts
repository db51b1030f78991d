import { existsSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import type { RunReport } from "@uncaged/workflow-protocol";
import type { RunDir } from "@uncaged/workflow-store";

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

/** Leaves what is known of a failed run for uwf's log; only where uwf made the run's folder. */
export function writeReport(run: RunDir | null, report: RunReport): void {
  if (run === null || !existsSync(run.dir)) return;
  quietly(() => {
    const temporary = `${run.report}.tmp`;
    writeFileSync(temporary, `${JSON.stringify(report)}\n`, { mode: 0o600 });
    renameSync(temporary, run.report);
  });
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The folder is gone (the thread was killed) or the disk is full: the step itself decides what that means.
  }
}
