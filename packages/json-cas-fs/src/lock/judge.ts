import { errnoOf } from "../files/index.js";
import { hostName } from "./host.js";
import { bootId, bootTime, livingStartTime, machineId, pidNamespace, processStartTime } from "./proc.js";
import type { Judgement, LockRecord, Origin, Verdict } from "./types.js";

/** The pid of a record that cannot be read; see `readLock`. */
export const UNREADABLE = 0;

/**
 * Whether the holder of a record still lives.
 * Dead: no living process of its host, boot and pid namespace has that pid and start time (zombies do not live), or it is
 * of an earlier boot of this machine. Unknown: whatever cannot be judged from here.
 * Without /proc (not Linux) only the pid is asked for, with kill(pid, 0): a reused pid then looks alive.
 */
export function judgeHolder(record: LockRecord): Judgement {
  return explainHolder(record).judgement;
}

/** `judgeHolder` with its reason. */
export function explainHolder(record: LockRecord): Verdict {
  if (record.pid === UNREADABLE) return judgeUnreadable(record);
  const origin = explainOrigin(record, record.acquiredAt);
  if (origin !== null) return origin;
  if (bootId() === null) return judgeByPid(record.pid);
  if (record.startTime === null) return verdict("unknown", "its record does not tell when it was started");
  const startTime = livingStartTime(record.pid);
  if (startTime !== null) return startTime === record.startTime ? LIVES : GONE;
  // A zombie is seen and dead. A process that is not seen may be hidden from us (mount option hidepid).
  return processStartTime(record.pid) === null ? judgeByPid(record.pid) : GONE;
}

/** Whether the very process that took the lock lives, which a pid alone does not prove: only such a one is signalled. */
export function isProvedAlive(record: LockRecord): boolean {
  return explainHolder(record) === LIVES;
}

/**
 * What is known of a process of `origin`, started at `at` (epoch ms), without looking for it; `null` where its pid means
 * here what it means there. Two machines of one image, or a pod and its successor, share a name: only a record that names
 * this machine and was written before our boot began is of an earlier boot of ours.
 */
export function explainOrigin(origin: Origin, at: number): Verdict | null {
  if (origin.host !== null && origin.host !== hostName()) {
    return verdict("unknown", `it is on another host than this, ${hostName()}`);
  }
  if (origin.pidNamespace !== null && origin.pidNamespace !== pidNamespace()) {
    return verdict("unknown", "it is in another pid namespace, a container say");
  }
  const boot = bootId();
  if (origin.bootId === boot) return null;
  if (origin.bootId === null || boot === null) return verdict("unknown", "its record does not tell its boot");
  const began = bootTime();
  if (began === null || at >= began) {
    return verdict("unknown", "it is of another boot and began after ours: another machine of this name");
  }
  return origin.machineId !== null && origin.machineId === machineId()
    ? verdict("dead", "this machine was started anew since")
    : verdict("unknown", "it is of another boot, and whether it was on this machine cannot be told");
}

function verdict(judgement: Judgement, because: string): Verdict {
  return { judgement, because };
}

const LIVES = verdict("alive", "a process with its pid and start time lives");
const GONE = verdict("dead", "no living process has its pid and start time");

/**
 * Records appear complete, so one that cannot be read lost its content in a power cut. If it is older than this
 * boot its holder is gone; otherwise somebody else wrote that file.
 */
function judgeUnreadable(record: LockRecord): Verdict {
  const boot = bootTime();
  return boot !== null && record.acquiredAt < boot
    ? verdict("dead", "its record cannot be read and is older than this boot")
    : verdict("unknown", "its record cannot be read");
}

function judgeByPid(pid: number): Verdict {
  try {
    process.kill(pid, 0);
    return verdict("alive", "a process has its pid");
  } catch (error) {
    // EPERM: it exists and belongs to somebody else.
    return errnoOf(error) === "ESRCH"
      ? verdict("dead", "no process has its pid")
      : verdict("alive", "a process of another user has its pid");
  }
}

/** `pid 123 on host x since 2025-01-31T08:00:00.000Z`. */
export function describeHolder(record: LockRecord): string {
  const since = `since ${new Date(record.acquiredAt).toISOString()}`;
  return record.pid === UNREADABLE
    ? `an unreadable record ${since}`
    : `pid ${record.pid} on host ${record.host} ${since}`;
}
