import { errnoOf } from "../files/index.js";
import { hostName } from "./host.js";
import { bootId, bootTime, livingStartTime, pidNamespace, processStartTime } from "./proc.js";
import type { Judgement, LockRecord, Verdict } from "./types.js";

/** The pid of a record that cannot be read; see `readLock`. */
export const UNREADABLE = 0;

/**
 * Whether the holder of a record still lives.
 * Dead: this host, another boot; or this host, boot and pid namespace, and no living process with that pid and
 * start time (zombies do not live). Unknown: another host or pid namespace.
 * Without /proc (not Linux) only the pid is asked for, with kill(pid, 0): a reused pid then looks alive.
 */
export function judgeHolder(record: LockRecord): Judgement {
  return explainHolder(record).judgement;
}

/** `judgeHolder` with its reason. */
export function explainHolder(record: LockRecord): Verdict {
  if (record.pid === UNREADABLE) return judgeUnreadable(record);
  if (record.host !== hostName()) return verdict("unknown", `it is on another host than this, ${hostName()}`);
  const boot = bootId();
  if (boot === null || record.bootId === null) return judgeByPid(record.pid);
  if (record.bootId !== boot) return verdict("dead", "this host was started anew since");
  if (record.pidNamespace !== pidNamespace()) {
    return verdict("unknown", "it is in another pid namespace, a container say");
  }
  const startTime = livingStartTime(record.pid);
  if (startTime !== null) return startTime === record.startTime ? LIVES : GONE;
  // A zombie is seen and dead. A process that is not seen may be hidden from us (mount option hidepid).
  return processStartTime(record.pid) === null ? judgeByPid(record.pid) : GONE;
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
