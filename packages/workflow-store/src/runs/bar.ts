import { createFileExclusive } from "@uncaged/json-cas-fs";
import { type Fault, ok, type Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { readText } from "../files/index.js";
import type { RunDir } from "./types.js";

/** Stands in `pid` in the place of a process. */
const BARRED = "barred\n";

/**
 * Takes the place of the agent's `pid` file. The agent's own process creates it, only if it is not there, before it
 * becomes the agent: so either the run is barred and its agent can never start, or the agent has started.
 */
export function barRun(run: RunDir): Result<"barred" | "started", Fault> {
  const created = attempt(() => createFileExclusive(run.pidFile, BARRED));
  if (!created.ok) return created;
  if (created.value) return ok("barred");
  const there = readText(run.pidFile);
  return there.ok ? ok(there.value === BARRED ? "barred" : "started") : there;
}
