import { spawn } from "node:child_process";
import { once } from "node:events";
import { utimesSync, writeFileSync } from "node:fs";
import { type LockRecord, ownRecord, processStartTime } from "@uncaged/json-cas-fs";

/** Why nobody holds a lock whose file is there. */
export const STALE = ["killed", "pid reused", "machine restarted", "content lost in a power cut"] as const;

export type Stale = (typeof STALE)[number];

/** The record of a process that has lived and was killed. */
export async function deadRecord(): Promise<LockRecord> {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  const startTime = processStartTime(pid);
  child.kill("SIGKILL");
  await once(child, "close");
  return { ...ownRecord(Date.now()), pid, startTime };
}

/** Puts a lock file there that nobody holds. */
export function plantStale(path: string, stale: Stale, dead: LockRecord): void {
  const { nonce } = ownRecord(0);
  writeFileSync(path, textOf(stale, { ...dead, nonce }));
  // Long before this boot: records appear complete, so an empty one this old has lost its content.
  if (stale === "content lost in a power cut") utimesSync(path, 1, 1);
}

function textOf(stale: Stale, dead: LockRecord): string {
  switch (stale) {
    case "killed":
      return recordText(dead);
    case "pid reused":
      return recordText({ ...dead, pid: process.pid, startTime: "1" });
    case "machine restarted":
      // Before this boot: what began after it cannot be of an earlier one.
      return recordText({
        ...livingRecord(dead.nonce),
        bootId: "00000000-0000-0000-0000-000000000000",
        acquiredAt: 1,
      });
    case "content lost in a power cut":
      return "";
  }
}

/** This process would hold it, were it not for what the caller changes. */
export function livingRecord(nonce: string): LockRecord {
  return { ...ownRecord(Date.now()), nonce };
}

export function recordText(record: LockRecord): string {
  return `${JSON.stringify(record)}\n`;
}
