import { readFileSync, readlinkSync, statSync } from "node:fs";
import { errnoOf } from "../files/index.js";

/** The system that a process runs on. A field is `null` if the system does not provide it. */
export type Origin = {
  readonly host: string | null;
  /** /etc/machine-id: two hosts can share a name, and a later boot of this machine has the same one. */
  readonly machineId: string | null;
  readonly bootId: string | null;
  /** The pid namespace (`pid:[4026531836]`): a pid means nothing in another one. */
  readonly pidNamespace: string | null;
};

/** A folder: its path, and the numbers by which the file system knows it, which a copy does not share. */
export type FolderIdentity = { readonly folder: string; readonly device: string; readonly inode: string };

/** What a record says of the folder that it was made in; `null`: nothing. */
export type Made = Pick<Origin, "bootId"> & { readonly place: FolderIdentity | null };

/** Who holds a lock. */
export type LockRecord = Origin &
  Made & {
    readonly pid: number;
    /**
     * Field 22 of /proc/PID/stat, in clock ticks since boot: distinguishes a process from a later one with the same
     * pid.
     */
    readonly startTime: string | null;
    readonly host: string;
    /** Unique for every record that was ever written. */
    readonly nonce: string;
    /** Epoch ms. */
    readonly acquiredAt: number;
  };

/** A record where it was found. */
export type FoundLock = LockRecord & {
  readonly foundIn: string;
  /** When its holder last gave a sign of life, epoch ms by the clock of the file system. */
  readonly renewedAt: number;
};

/** A lock that this process holds. */
export type Lock = {
  readonly kind: "lock";
  readonly path: string;
  readonly record: LockRecord;
  /** Renews it until it is released; `null`: it is not held for long. */
  readonly renewing: NodeJS.Timeout | null;
};

/** Another process has the lock; `unknown` holders cannot be judged from here and count as alive. */
export type LockBusy = {
  readonly kind: "busy";
  readonly path: string;
  readonly holder: FoundLock;
  readonly judgement: "alive" | "unknown";
};

export type Judgement = "alive" | "dead" | "unknown";

/** A judgement and its reason, a clause about the holder: `no living process has its pid and start time`. */
export type Verdict = { readonly judgement: Judgement; readonly because: string };

// Readers of Linux facts, mostly from /proc. On other systems each of them returns `null`.

type ProcessStat = { readonly state: string; readonly startTime: string };

/** Position of `starttime` counted from `state`, the first field after the process's name (proc(5): 22 and 3). */
const START_TIME = 19;

function readProc(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}

function processStat(pid: number): ProcessStat | null {
  const text = readProc(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name is in parentheses and may itself contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  const startTime = fields[START_TIME];
  return state === undefined || startTime === undefined ? null : { state, startTime };
}

/** When a process started, in clock ticks since boot; `null` when there is no such process (or no /proc). */
export function processStartTime(pid: number): string | null {
  return processStat(pid)?.startTime ?? null;
}

/** `R`, `S`, `D`, `T`, `Z`, `X`…; `null` when there is no such process (or no /proc). */
export function processState(pid: number): string | null {
  return processStat(pid)?.state ?? null;
}

/** The start time of a process that still runs: a zombie (Z) or dead (X) one has none. */
export function livingStartTime(pid: number): string | null {
  const stat = processStat(pid);
  return stat === null || stat.state === "Z" || stat.state === "X" ? null : stat.startTime;
}

let boot: string | null = null;

/** Identity of this boot of the machine, which no process outlives. */
export function bootId(): string | null {
  boot ??= readProc("/proc/sys/kernel/random/boot_id")?.trim() ?? null;
  return boot;
}

let machine: string | null = null;

/** Identity of this installation of the system (32 hexadecimal digits), which every boot of it shares. */
export function machineId(): string | null {
  machine ??= readProc("/etc/machine-id")?.trim() ?? "";
  return /^[0-9a-f]{32}$/.test(machine) ? machine : null;
}

/** When this boot began, epoch ms. */
export function bootTime(): number | null {
  const seconds = /^btime (\d+)$/m.exec(readProc("/proc/stat") ?? "")?.[1];
  return seconds === undefined ? null : Number(seconds) * 1000;
}

let namespace: string | null = null;

/**
 * The pid namespace of this process, which it never leaves; in a time namespace also that clock's offset, because
 * process start times depend on it.
 */
export function pidNamespace(): string | null {
  namespace ??= readPidNamespace();
  return namespace;
}

function readPidNamespace(): string | null {
  try {
    return `${readlinkSync("/proc/self/ns/pid")}${shiftedClock()}`;
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}

/** ` boottime:100000`; "" if the clock since boot is the machine's own. */
function shiftedClock(): string {
  const [, seconds = "0", nanoseconds = "0"] =
    /^boottime\s+(-?\d+)\s+(-?\d+)$/m.exec(readProc("/proc/self/timens_offsets") ?? "") ?? [];
  return Number(seconds) === 0 && Number(nanoseconds) === 0 ? "" : ` boottime:${seconds}.${nanoseconds}`;
}

let name: string | null = null;

/**
 * This machine's name, read once per process: after a rename, locks of running processes look like another
 * machine's. From /proc if possible: loading node:os costs bun 4 ms of every step.
 */
export function hostName(): string {
  name ??= readProc("/proc/sys/kernel/hostname")?.trim() ?? process.getBuiltinModule("node:os").hostname();
  return name;
}

/** A folder as records name it; `null` where there is none that can be looked at. */
export function identifyFolder(folder: string): FolderIdentity | null {
  try {
    const { dev, ino } = statSync(folder, { bigint: true });
    return { folder, device: String(dev), inode: String(ino) };
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    return null;
  }
}

/**
 * Whether a record was made in another folder than this one: it came with a copy (`cp -a`, a snapshot, a restored cache),
 * or with a move to another file system. A folder that is renamed keeps its inode and its device.
 */
export function isCopied(made: Made, folder: string): boolean {
  return made.place !== null && !isAt(made, folder, true);
}

/** Whether the folder that a copied record was made in is still there, beside its copy. */
export function isOriginalThere(made: Made): boolean {
  return made.place !== null && isAt(made, made.place.folder, false);
}

/** Device numbers are those of one boot of one machine; another one has only the inode to compare. */
function isAt({ place, bootId: boot }: Made, folder: string, otherwise: boolean): boolean {
  const here = identifyFolder(folder);
  if (place === null || here === null) return otherwise;
  return here.inode === place.inode && (boot !== bootId() || here.device === place.device);
}

/** Anything else is `null`, as in records of a system that has no such identity. */
export function asPlace(value: unknown): FolderIdentity | null {
  if (typeof value !== "object" || value === null) return null;
  const { folder, device, inode } = value as Partial<Record<keyof FolderIdentity, unknown>>;
  const isKnown = typeof folder === "string" && typeof device === "string" && typeof inode === "string";
  return isKnown ? { folder, device, inode } : null;
}
