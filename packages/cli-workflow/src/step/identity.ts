import { type RunDir, readPid } from "@uncaged/workflow-store";
import type { RunIdentity } from "@uncaged/workflow-util";

/** Names the processes of a run: its group, and whoever left it but carries its token. */
export function identityOf(run: RunDir): RunIdentity {
  const process = readPid(run);
  return { pid: process?.pid ?? null, startTime: process?.startTime ?? null, token: run.token };
}
