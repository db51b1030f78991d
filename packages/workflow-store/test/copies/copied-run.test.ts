import { spawn } from "node:child_process";
import { cpSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { machineId } from "@uncaged/json-cas-fs";
import { runMembers } from "@uncaged/workflow-util";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  doubtAbout,
  type FoundRun,
  findRuns,
  identityOf,
  isCopiedRun,
  newRun,
  releaseRun,
  type Storage,
} from "../../src/index.js";
import { good, HASH_A, THREAD, tempRoot, tempStorage } from "../support/index.js";

const RUN = { head: HASH_A, role: "developer", command: ["agent"], attempt: 1 };

function runIn(storage: Storage): FoundRun {
  const [run] = good(findRuns(storage, THREAD));
  if (run === undefined) throw new Error("there is no run");
  return run;
}

/** A run whose agent lives, and the same run in a copy of its root. */
async function twoRuns(token: string) {
  const storage = tempStorage();
  good(newRun(storage, THREAD, { ...RUN, token }));
  const agent = spawn("sleep", ["60"], { env: { ...process.env, UWF_RUN: token }, stdio: "ignore" });
  onTestFinished(() => {
    agent.kill("SIGKILL");
  });
  await new Promise((resolve, reject) => agent.once("spawn", resolve).once("error", reject));
  const run = runIn(storage);
  writeFileSync(run.pidFile, readFileSync(`/proc/${agent.pid}/stat`));
  const to = join(tempRoot(), "copy");
  cpSync(storage.root, to, { recursive: true, preserveTimestamps: true });
  return { run, copied: runIn(tempStorage(to)), pid: agent.pid ?? 0, agent };
}

describe.skipIf(process.platform !== "linux")("a run that came with a copy of its root", () => {
  it("has no process that could be signalled, and is in doubt while its agent works for the other root", async () => {
    const { run, copied, pid } = await twoRuns("of-two-roots-1");
    expect([isCopiedRun(run), isCopiedRun(copied)]).toEqual([false, true]);
    expect(runMembers(identityOf(run))).toEqual([pid]);
    expect(runMembers(identityOf(copied))).toEqual([]);
    expect(doubtAbout(run)).toBeNull();
    expect(doubtAbout(copied)).toContain(`its agent works for that storage root (pid ${pid})`);
  });

  it("is in doubt no longer when that agent has ended, or a person says so", async () => {
    const { copied, agent } = await twoRuns("of-two-roots-2");
    releaseRun(copied);
    expect(doubtAbout(copied)).toBeNull();
    const second = await twoRuns("of-two-roots-3");
    const over = new Promise((resolve) => second.agent.once("exit", resolve));
    second.agent.kill("SIGKILL");
    await over;
    expect(doubtAbout(second.copied)).toBeNull();
    agent.kill("SIGKILL");
  });
});

describe.skipIf(machineId() === null)("a run of an earlier boot", () => {
  it("is in doubt while it gives signs of life: a clone of this machine may have started it", () => {
    const storage = tempStorage();
    good(newRun(storage, THREAD, { ...RUN, token: "of-a-clone" }));
    const { runFile, heartbeat } = runIn(storage);
    const record = JSON.parse(readFileSync(runFile, "utf8"));
    writeFileSync(runFile, JSON.stringify({ ...record, bootId: "earlier", startedAt: 1 }));
    writeFileSync(heartbeat, "");
    utimesSync(heartbeat, 1_000, 1_000);
    const run = runIn(storage);
    expect(doubtAbout(run, 1_030_000)).toContain("another one has its name and its id");
    expect(doubtAbout(run, 1_061_000)).toBeNull();
  });
});
