import type { Fault, Result } from "@uncaged/workflow-protocol";
import { attempt } from "../attempt/index.js";
import { readTail } from "../files/index.js";
import type { Storage } from "../storage/index.js";
import { asLogEntry } from "./entry.js";
import { logDays } from "./read.js";

/** Room for some of the longest lines that a run writes. */
const TAIL_BYTES = 64 * 1024;

/** The time of the last thing that was logged, epoch ms; `null` where nothing was. */
export function newestLogTime(storage: Storage): Result<number | null, Fault> {
  const days = logDays(storage, null);
  if (!days.ok) return days;
  return attempt(() => {
    const last = days.value.at(-1);
    const lines = last === undefined ? [] : readTail(last.file, TAIL_BYTES).split("\n");
    const times = lines.flatMap((line) => asLogEntry(line)?.timestamp ?? []);
    return times.length === 0 ? null : Math.max(...times);
  });
}
