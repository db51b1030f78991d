import { readdirSync, readFileSync } from "node:fs";
import type { Breach } from "../invariants/index.js";
import type { World } from "../world/index.js";

const PATIENCE_MS = 10_000;
const POLL_MS = 50;

/** Processes that this world has started and that stay after some ms of rest. They are ended. */
export async function survivors(world: World, patience = PATIENCE_MS): Promise<readonly Breach[]> {
  const deadline = performance.now() + patience;
  for (let left = processesOf(world); ; left = processesOf(world)) {
    if (left.length === 0) return [];
    if (performance.now() > deadline) {
      for (const { pid } of left) end(pid);
      return left.map(({ pid, line }) => ({
        promise: "no process outlives its thread",
        evidence: `${pid}: ${line}`,
      }));
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

type Found = { readonly pid: number; readonly line: string };

/** The ledger's path stands in the environment of all that a world starts, and of nothing else. */
function processesOf({ ledger }: World): readonly Found[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .filter((pid) => textOf(`/proc/${pid}/environ`).split("\0").includes(`UWF_FAULTS_LEDGER=${ledger}`))
    .map((pid) => ({
      pid: Number(pid),
      line: textOf(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim(),
    }));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}
