import type { ChildProcess } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reap, type Sandbox, until } from "../support/uwf.js";
import { zoo } from "../support/workflows.js";

/** A step whose agent works until `go` is called. */
export type WorkingStep = { readonly uwf: ChildProcess; readonly go: () => void };

/** Starts a step and waits until its agent works. */
export async function startWorking(box: Sandbox, thread: string): Promise<WorkingStep> {
  const file = join(box.cwd, "go");
  const uwf = reap(box.start(["thread", "step", thread, "--agent", zoo("waits", file)]));
  await until("the agent works", () => existsSync(`${file}.started`));
  return { uwf, go: () => writeFileSync(file, "") };
}

/** Kills a process at once and waits until it is gone. */
export async function killNow(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}

export function lockFile(box: Sandbox, thread: string): string {
  return join(box.root, "locks", `thread-${thread}.lock`);
}

/** Makes a lock's holder one of another machine. */
export function moveElsewhere(file: string): void {
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), host: "another-host" }));
}

export function agentRuns(box: Sandbox): number {
  const file = join(box.root, "..", "agent-runs.log");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
}

export function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
