import { readFileSync } from "node:fs";
import { createFileExclusive, ioFault } from "@uncaged/json-cas-fs";
import type { RunDir } from "./types.js";

/** Stands in `pid` in the place of a process. */
const BARRED = "barred\n";

/**
 * Takes the place of the agent's `pid` file. The agent's own process creates it, only if it is not there, before it
 * becomes the agent: so either the run is barred and its agent can never start, or the agent has started.
 * Throws `CasError` `IO_FAILED`.
 */
export function barRun(run: RunDir): "barred" | "started" {
  if (createFileExclusive(run.pidFile, BARRED)) return "barred";
  return isBarred(run) ? "barred" : "started";
}

function isBarred({ pidFile }: RunDir): boolean {
  try {
    return readFileSync(pidFile, "utf8") === BARRED;
  } catch (error) {
    throw ioFault("read", pidFile, error);
  }
}
