import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { endRun, runChild, runMembers, signalRun } from "../../src/process/index.js";
import { isAlive, until, useZoo } from "./support.js";

const zoo = useZoo();

function startTimeOf(pid: number): string {
  const line = readFileSync(`/proc/${pid}/stat`, "utf8");
  return line.slice(line.lastIndexOf(")") + 2).split(" ")[19] ?? "";
}

/** An agent that writes its pid, leaves a grandchild in its group and sleeps. */
const FAMILY = `sleep 600 & echo $! > "$ZOO/grandchild"; echo $$ > "$ZOO/agent-pid"; wait`;

function startFamily(token: string | null = null) {
  const spec = zoo.spec(zoo.shell("agent", FAMILY), { token });
  return runChild(token === null ? spec : { ...spec, env: { ...spec.env, UWF_RUN: token } });
}

describe.skipIf(process.platform !== "linux")("runMembers", () => {
  it("lists the group of a leader with the recorded start time", async () => {
    const running = startFamily();
    const pid = await zoo.pidIn("agent-pid");
    const grandchild = await zoo.pidIn("grandchild");
    const identity = { pid, startTime: startTimeOf(pid), token: null };
    expect([...runMembers(identity)].sort()).toEqual([pid, grandchild].sort());
    expect(runMembers({ ...identity, startTime: "1" })).toEqual([]);
    signalRun(identity, "SIGKILL");
    expect(await running).toMatchObject({ kind: "signaled", signal: "SIGKILL" });
    await until(() => runMembers(identity).length === 0);
  });

  it("does not take the number's new owner for the run", () => {
    const identity = { pid: process.pid, startTime: "1", token: null };
    expect(runMembers(identity)).toEqual([]);
    signalRun(identity, "SIGKILL");
  });

  it("believes a group without its leader only where the token confirms it", async () => {
    const token = `token-${process.pid}-orphan`;
    const spec = zoo.spec(zoo.shell("agent", `sleep 600 & echo $! > "$ZOO/grandchild"`), { token });
    const { pid } = await runChild({ ...spec, env: { ...spec.env, UWF_RUN: token } });
    const grandchild = await zoo.pidIn("grandchild");
    expect(runMembers({ pid, startTime: "1", token })).toEqual([grandchild]);
    expect(runMembers({ pid, startTime: "1", token: null })).toEqual([grandchild]);
    expect(runMembers({ pid, startTime: "1", token: "another" })).toEqual([]);
  });

  it("compares complete tokens, not prefixes", async () => {
    const token = `token-${process.pid}-whole`;
    const running = startFamily(`${token}-longer`);
    const pid = await zoo.pidIn("agent-pid");
    expect(runMembers({ pid: null, startTime: null, token })).toEqual([]);
    await endRun({ pid, startTime: null, token: null }, 0);
    expect(await running).toMatchObject({ kind: "signaled" });
  });

  it("never includes this process", () => {
    expect(runMembers({ pid: null, startTime: null, token: process.env.UWF_RUN ?? "none" })).not.toContain(
      process.pid,
    );
    const group = Number(readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ")[2]);
    expect(runMembers({ pid: group, startTime: null, token: null })).not.toContain(process.pid);
  });

  it("does not count a zombie", async () => {
    // A parent that never collects its child keeps it as a zombie. A shell may collect it, so it ends after the exec.
    const command = zoo.script(
      "agent",
      `const { execFileSync } = require("node:child_process");
       execFileSync("sh", ["-c", \`echo $$ > $ZOO/agent-pid
         (while read -r name < /proc/$$/comm && [ "$name" != sleep ]; do :; done) & echo $! > $ZOO/zombie
         exec sleep 600\`]);`,
    );
    const running = runChild(zoo.spec(command));
    const zombie = await zoo.pidIn("zombie");
    await until(() => / Z /.test(readFileSync(`/proc/${zombie}/stat`, "utf8")));
    const leader = Number(readFileSync(`/proc/${zombie}/stat`, "utf8").split(") ")[1]?.split(" ")[2]);
    expect(runMembers({ pid: leader, startTime: null, token: null })).not.toContain(zombie);
    await endRun({ pid: leader, startTime: null, token: null }, 0);
    await running;
  });

  it("never misses a process in the middle of an exec, which has no environment yet", async () => {
    const token = `token-${process.pid}-exec`;
    const command = zoo.shell("agent", `[ $# -gt 0 ] || echo $$ > "$ZOO/agent-pid"; exec "$0" again`);
    const spec = zoo.spec(command, { token });
    const running = runChild({ ...spec, env: { ...spec.env, UWF_RUN: token } });
    const pid = await zoo.pidIn("agent-pid");
    const looks = Array.from({ length: 300 }, () => runMembers({ pid: null, startTime: null, token }));
    expect(looks.filter((members) => !members.includes(pid))).toEqual([]);
    await endRun({ pid, startTime: null, token: null }, 0);
    await running;
  });

  it("finds nothing for a record of nothing", () => {
    expect(runMembers({ pid: null, startTime: null, token: null })).toEqual([]);
  });
});

describe("endRun", () => {
  it("ends what obeys and says that nobody is left", async () => {
    const running = startFamily();
    const pid = await zoo.pidIn("agent-pid");
    expect(await endRun({ pid, startTime: startTimeOf(pid), token: null }, 10_000)).toBe(true);
    expect(await running).toMatchObject({ kind: "signaled", signal: "SIGTERM" });
    expect(isAlive(await zoo.pidIn("grandchild"))).toBe(false);
  });

  it("kills what does not", async () => {
    const command = zoo.shell("agent", `trap '' TERM; echo $$ > "$ZOO/agent-pid"; while :; do sleep 1; done`);
    const running = runChild(zoo.spec(command));
    const pid = await zoo.pidIn("agent-pid");
    expect(await endRun({ pid, startTime: startTimeOf(pid), token: null }, 100)).toBe(true);
    expect(await running).toMatchObject({ kind: "signaled", signal: "SIGKILL" });
  });

  it("has nothing to do for a run that is over", async () => {
    const { pid } = await runChild(zoo.spec(zoo.shell("agent", "true")));
    expect(await endRun({ pid, startTime: "1", token: null }, 60_000)).toBe(true);
  });
});
