import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { ownRecord, processStartTime } from "@uncaged/json-cas-fs";
import { onTestFinished } from "vitest";

/** A process that is said to hold a lock, and does nothing else. */
export type Holder = { readonly pid: number; readonly end: () => Promise<void> };

/** Puts a lock of another, living process in place; the process ends with the test at the latest. */
export async function heldBySomebody(path: string): Promise<Holder> {
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  const pid = child.pid ?? 0;
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const end = (): Promise<void> => {
    child.kill("SIGKILL");
    return exited;
  };
  onTestFinished(end);
  const record = { ...ownRecord(Date.now(), null), pid, startTime: processStartTime(pid) };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(record)}\n`);
  return { pid, end };
}
