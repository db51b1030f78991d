import { existsSync, lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  bootId,
  createFileExclusive,
  explainOrigin,
  isCopied,
  isNotRegular,
  openRegular,
} from "@uncaged/json-cas-fs";
import type { RunRecord, ThreadId } from "@uncaged/workflow-protocol";
import { type RunIdentity, runMembers } from "@uncaged/workflow-util";
import { attempt } from "./attempt.js";
import { readTail } from "./files.js";
import type { Storage } from "./storage.js";

/** The files of one run, `runs/<thread>/<token>/`. */
export type RunDir = Readonly<ReturnType<typeof runFilesIn>>;

export type FoundRun = RunDir & { readonly record: RunRecord };

/** A plain name, and not that of the thread's `ending`, which lives beside the runs. */
const TOKEN = /^(?!ending$)[A-Za-z0-9_-]{1,128}$/;

export function threadRunsPath(storage: Storage, thread: ThreadId): string {
  return join(storage.paths.runs, thread);
}

/** The files of a run, whether it exists or not; `null` for a token that could lead out of the folder. */
export function runDirOf(storage: Storage, thread: ThreadId, token: string): RunDir | null {
  return TOKEN.test(token) ? runFilesIn(join(threadRunsPath(storage, thread), token), token) : null;
}

/** The files of a run in its folder, or in the folder where it is being made. */
export function runFilesIn(dir: string, token: string) {
  return {
    dir,
    token,
    /** What was started and for which head. */
    runFile: join(dir, "run.json"),
    /** Written by the agent's own process before it becomes the agent. */
    pidFile: join(dir, "pid"),
    stdout: join(dir, "stdout"),
    stderr: join(dir, "stderr"),
    /** Touched by the agent kit as a sign of life. */
    heartbeat: join(dir, "heartbeat"),
    /** What the agent kit reports about a failed run. */
    report: join(dir, "report.json"),
    /** What an agent that exits with 9 waits for. */
    waiting: join(dir, "waiting.json"),
    /** Notes that people left for the run; there is no such file without any. */
    notes: join(dir, "notes.jsonl"),
    /** Is there when a person has said that nothing of the run lives: it cannot be judged from here. */
    released: join(dir, "released"),
  };
}

/**
 * The last `limit` bytes of a file of a run; "" if there is none. `null`: the agent, which owns the folder as much
 * as uwf does, has replaced it (by a pipe, a device, a link, a folder), and it is not opened. Throws `CasError`
 * `IO_FAILED` for a file that cannot be read: an unreadable result must not count as none, or its step would be
 * run twice.
 */
export function runFileTail(path: string, limit: number): string | null {
  try {
    return readTail(path, limit, "refused");
  } catch (error) {
    if (isNotRegular(error)) return null;
    throw error;
  }
}

/** A file of a run that grows, open for reading; `null` while it is not there, or is something else. */
export function openRunFile(path: string): number | null {
  try {
    return openRegular(path, "refused");
  } catch {
    return null;
  }
}

/** Field 22 of /proc/PID/stat, counted from the state, which follows the last ")" and is field 3. */
const START_TIME = 19;

/** Longer than that line and the mark after it. */
const LONGEST_RECORD = 8 * 1024;

/** `startTime` (clock ticks since boot) distinguishes it from a later process with the same pid. */
type RunProcess = { readonly pid: number; readonly startTime: string | null };

/**
 * The process that became the agent, from its line of /proc/PID/stat. `null` if it has not recorded itself (yet),
 * or if the run is barred. Without /proc it records only its pid.
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

/**
 * Whether a run was made in another storage root, of which this one is a copy: none of its processes is this root's, and
 * what they print goes to the other one.
 */
export function isCopiedRun({ dir, record }: FoundRun): boolean {
  return isCopied(record, dirname(dirname(dir)));
}

const NOBODY: RunIdentity = { pid: null, startTime: null, token: null };

/**
 * Identifies the processes of a run: its group, and processes that left it but carry its token. Pids of another
 * machine, boot or pid namespace mean other processes here, and so does one without the start time that proves its
 * identity: then only the token counts.
 */
export function identityOf(run: RunDir | FoundRun): RunIdentity {
  const { token } = run;
  if ("record" in run && isCopiedRun(run)) return NOBODY;
  const isForeign = "record" in run && explainOrigin(run.record, run.record.startedAt, 0) !== null;
  const process = isForeign ? null : readPid(run);
  const isProved = process !== null && (process.startTime !== null || bootId() === null);
  return isProved ? { ...process, token } : { pid: null, startTime: null, token };
}

/**
 * The agent's last sign of life, as for an idle limit: it wrote something, or touched its heartbeat. Epoch ms;
 * `null`: neither yet.
 */
export function lastSignOfLife({ stdout, stderr, heartbeat }: RunDir): number | null {
  // Both are made, empty, before the agent begins.
  const outputs = [stdout, stderr].map(readStat).filter((stat) => stat !== undefined && stat.size > 0);
  const times = [...outputs, readStat(heartbeat)].map((stat) => stat?.mtimeMs ?? 0);
  const last = Math.max(...times);
  return last === 0 ? null : Math.round(last);
}

function readStat(path: string) {
  return lstatSync(path, { throwIfNoEntry: false });
}

/**
 * Why it cannot be checked from here whether processes of the run are alive, or why they are none of this root's business;
 * `null` if nothing keeps a step from going on. `now`: epoch ms, by the clock of the file system.
 */
export function doubtAbout(run: FoundRun, now?: number): string | null {
  const { record, token } = run;
  const origin = explainOrigin(record, record.startedAt, lastSignOfLife(run) ?? 0, now);
  const doubt = origin?.judgement === "unknown" ? origin.because : atWorkElsewhere(run, token);
  return doubt !== null && !existsSync(run.released) ? doubt : null;
}

/** They are looked at, and never signalled: a second agent of the same thread would work in the same folder. */
function atWorkElsewhere(run: FoundRun, token: string): string | null {
  const pids = isCopiedRun(run) ? runMembers({ ...NOBODY, token }) : [];
  return pids.length === 0
    ? null
    : `it was made in ${run.record.place?.folder}, of which this is a copy, and its agent works for that storage root (pid ${pids.join(", ")})`;
}

/** On a person's word: nothing of the run lives. Throws `CasError` `IO_FAILED`. */
export function releaseRun(run: RunDir): void {
  createFileExclusive(run.released, "");
}
