import { createFileExclusive } from "@uncaged/json-cas-fs";
import { runFileTail } from "./paths.js";
import type { RunDir } from "./types.js";

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
