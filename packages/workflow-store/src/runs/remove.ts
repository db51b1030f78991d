import { existsSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { ioFault } from "@uncaged/json-cas-fs";
import type { Fault, Result } from "@uncaged/workflow-protocol";
import { removeCgroup } from "@uncaged/workflow-util";
import { attempt } from "../attempt/index.js";
import { GONE, sweepLitter } from "./litter.js";
import type { RunDir } from "./types.js";

/**
 * Takes a run away, at once for every reader; a crash leaves litter, never half a run. Needs the thread's lock; one
 * that is gone is fine. Nothing is synced: a run that a power cut brings back is of an older head, or has no result,
 * and goes the same way again.
 */
export function removeRun({ dir, token }: RunDir): Result<void, Fault> {
  return attempt(() => {
    const parent = dirname(dir);
    if (existsSync(dir)) rename(dir, join(parent, `${GONE}${token}`));
    sweepLitter(parent);
    removeCgroup(token);
  });
}

function rename(dir: string, gone: string): void {
  try {
    renameSync(dir, gone);
  } catch (error) {
    throw ioFault("remove the run", dir, error);
  }
}
