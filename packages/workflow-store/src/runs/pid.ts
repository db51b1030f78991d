import { readText } from "../files/index.js";
import type { RunDir, RunProcess } from "./types.js";

/** Field 22 of /proc/PID/stat, counted from the state, which follows the last ")" and is field 3. */
const START_TIME = 19;

/**
 * The process that became the agent, from its line of /proc/PID/stat. `null` when it has not (yet) told, or when the
 * run is barred. Without /proc it tells its pid only.
 */
export function readPid(run: RunDir): RunProcess | null {
  const text = readText(run.pidFile);
  if (!text.ok || text.value === null) return null;
  // A line that a full disk cut short is of a process that gave up: half of its record would fit another one.
  const pid = /^([1-9][0-9]*)\s/.exec(text.value)?.[1];
  if (pid === undefined || !text.value.includes("\n")) return null;
  const close = text.value.lastIndexOf(")");
  const startTime = close === -1 ? undefined : text.value.slice(close + 2).split(" ")[START_TIME];
  return { pid: Number(pid), startTime: startTime?.trim() || null };
}
