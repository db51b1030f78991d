import { attempt } from "../attempt/index.js";
import { runFileTail } from "./run-file.js";
import type { RunDir, RunProcess } from "./types.js";

/** Field 22 of /proc/PID/stat, counted from the state, which follows the last ")" and is field 3. */
const START_TIME = 19;

/** More than that line and a mark behind it. */
const LONGEST_RECORD = 8 * 1024;

/**
 * The process that became the agent, from its line of /proc/PID/stat. `null` when it has not (yet) told, or when the
 * run is barred. Without /proc it tells its pid only.
 */
export function readPid(run: RunDir): RunProcess | null {
  const read = attempt(() => runFileTail(run.pidFile, LONGEST_RECORD));
  const text = read.ok ? (read.value ?? "") : "";
  // A line that a full disk cut short is of a process that gave up: half of its record would fit another one.
  const pid = /^([1-9][0-9]*)\s/.exec(text)?.[1];
  if (pid === undefined || !text.includes("\n")) return null;
  const close = text.lastIndexOf(")");
  const startTime = close === -1 ? undefined : text.slice(close + 2).split(" ")[START_TIME];
  return { pid: Number(pid), startTime: startTime?.trim() || null };
}
