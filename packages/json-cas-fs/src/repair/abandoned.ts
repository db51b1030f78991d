import { lstatSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { errnoOf, guarded, isTemporaryName, writerOf } from "../files/index.js";
import { bootTime, livingStartTime } from "../lock/index.js";
import { namesOf } from "../store/index.js";

// A temporary file is renamed, linked or removed as soon as it is written, or those that are written together are. One
// that stays belongs to a writer who died. Its name has the writer's pid: when no such process lives here, or a later
// one, and the file has not been touched for a while (a writer in another pid namespace or on another host cannot be seen
// from here), it is swept; otherwise after an hour. A writer who is that slow and alive all the same gets an error and
// has lost nothing.

/** Epoch ms are compared with the times of files on the same clock. */
const DEAD_AFTER_MS = 10_000;
const OLD_AFTER_MS = 3_600_000;

/** `starttime` counts in ticks of 10 ms on every Linux. */
const TICKS_PER_SECOND = 100;

/** Removes the temporary files in a folder that nobody writes any more; gives how many. */
export function sweepTemporaryFiles(folder: string, now: number): number {
  return namesOf(folder).filter((name) => isTemporaryName(name) && sweep(join(folder, name), name, now))
    .length;
}

function sweep(file: string, name: string, now: number): boolean {
  return guarded("remove", file, () => {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    // Folders were set aside under such a name and are not ours to delete.
    if (stat === undefined || !stat.isFile()) return false;
    const age = now - stat.mtimeMs;
    const isAbandoned = age > OLD_AFTER_MS || (age > DEAD_AFTER_MS && isDead(writerOf(name), stat.mtimeMs));
    return isAbandoned && removeIfThere(file);
  });
}

/** Whether no process has that pid, or only one that started after the file was written. */
function isDead(pid: number | null, written: number): boolean {
  if (pid === null) return false;
  const boot = bootTime();
  // Without /proc nobody can be shown to be dead.
  if (boot === null) return false;
  const started = livingStartTime(pid);
  return started === null || boot + (Number(started) * 1000) / TICKS_PER_SECOND > written + DEAD_AFTER_MS;
}

function removeIfThere(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return false;
    throw error;
  }
}
