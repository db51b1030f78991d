import { errnoOf } from "../files/index.js";
import { hostName } from "./host.js";
import { bootId, bootTime, livingStartTime, pidNamespace, processStartTime } from "./proc.js";
import type { Judgement, LockRecord } from "./types.js";

/** The pid of a record that cannot be read; see `readLock`. */
export const UNREADABLE = 0;

/**
 * Whether the holder of a record still lives.
 * Dead: this host, another boot; or this host, boot and pid namespace, and no living process with that pid and
 * start time (zombies do not live). Unknown: another host or pid namespace.
 * Without /proc (not Linux) only the pid is asked for, with kill(pid, 0): a reused pid then looks alive.
 */
export function judgeHolder(record: LockRecord): Judgement {
  if (record.pid === UNREADABLE) return judgeUnreadable(record);
  if (record.host !== hostName()) return "unknown";
  const boot = bootId();
  if (boot === null || record.bootId === null) return judgeByPid(record.pid);
  if (record.bootId !== boot) return "dead";
  if (record.pidNamespace !== pidNamespace()) return "unknown";
  const startTime = livingStartTime(record.pid);
  if (startTime !== null) return startTime === record.startTime ? "alive" : "dead";
  // A zombie is seen and dead. A process that is not seen may be hidden from us (mount option hidepid).
  return processStartTime(record.pid) === null ? judgeByPid(record.pid) : "dead";
}

/**
 * Records appear complete, so one that cannot be read lost its content in a power cut. If it is older than this
 * boot its holder is gone; otherwise somebody else wrote that file.
 */
function judgeUnreadable(record: LockRecord): Judgement {
  const boot = bootTime();
  return boot !== null && record.acquiredAt < boot ? "dead" : "unknown";
}

function judgeByPid(pid: number): Judgement {
  try {
    process.kill(pid, 0);
    return "alive";
  } catch (error) {
    // EPERM: it exists and belongs to somebody else.
    return errnoOf(error) === "ESRCH" ? "dead" : "alive";
  }
}

/** `pid 123 on host x since 2025-01-31T08:00:00.000Z`. */
export function describeHolder(record: LockRecord): string {
  const since = `since ${new Date(record.acquiredAt).toISOString()}`;
  return record.pid === UNREADABLE
    ? `an unreadable record ${since}`
    : `pid ${record.pid} on host ${record.host} ${since}`;
}
