import { existsSync } from "node:fs";
import { bootId, createFileExclusive, explainOrigin } from "@uncaged/json-cas-fs";
import type { RunIdentity } from "@uncaged/workflow-util";
import { readPid } from "./pid.js";
import type { FoundRun, RunDir } from "./types.js";

/**
 * Names the processes of a run: its group, and whoever left it but carries its token. Numbers of another machine, boot
 * or pid namespace mean strangers here, and so does one without the start time that proves whose it is: then only the
 * token counts.
 */
export function identityOf(run: RunDir | FoundRun): RunIdentity {
  const { token } = run;
  const isForeign = "record" in run && explainOrigin(run.record, run.record.startedAt) !== null;
  const process = isForeign ? null : readPid(run);
  const isProved = process !== null && (process.startTime !== null || bootId() === null);
  return isProved ? { ...process, token } : { pid: null, startTime: null, token };
}

/** Why it cannot be told from here whether processes of the run live; `null` where it can. */
export function doubtAbout(run: FoundRun): string | null {
  const origin = explainOrigin(run.record, run.record.startedAt);
  return origin?.judgement === "unknown" && !existsSync(run.released) ? origin.because : null;
}

/** On a person's word: nothing of the run lives. Throws `CasError` `IO_FAILED`. */
export function releaseRun(run: RunDir): void {
  createFileExclusive(run.released, "");
}
