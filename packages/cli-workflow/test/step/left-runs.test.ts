import { spawn } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CasRef } from "@uncaged/workflow-protocol";
import { newRun, openStorage, writeEnding } from "@uncaged/workflow-store";
import { makeCgroup, parseThreadId, removeCgroup } from "@uncaged/workflow-util";
import { describe, expect, it } from "vitest";
import { killNow, startWorking } from "../operator/support.js";
import { agentRuns, logLines } from "../support/logs.js";
import { ended, RUNTIMES, reap, type Sandbox, sandbox, until } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

function idOf(thread: string) {
  const id = parseThreadId(thread);
  if (!id.ok) throw new Error(id.error.code);
  return id.value;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0] !== "Z";
  } catch {
    return false;
  }
}

describe.each(RUNTIMES)("on %s, an agent that fails and leaves processes behind", (runtime) => {
  it.each(["exit 1", "kill -9 $$", "echo garbage"])(
    "(%s) has none of them when the next run starts, or when the step is over",
    async (how) => {
      const box = sandbox(runtime);
      const thread = await startTurns(box);
      const pids = join(box.cwd, "pids");
      const agent = box.write(
        "leaves",
        // Each start tells which processes of the runs before still live, before it leaves one of its own.
        `#!/bin/sh
for pid in $(cat '${pids}' 2>/dev/null); do
  grep -qs '^State:[[:space:]]*[^Z[:space:]]' /proc/$pid/status && echo $pid >> '${pids}.alive'
done
sleep 600 >/dev/null 2>&1 &
echo $! >> '${pids}'
${how}
`,
      );
      chmodSync(agent, 0o755);
      const command = ["thread", "step", thread, "--retries", "2", "--agent", `'${agent}'`];
      const ran = await box.uwf(command, { env: { UWF_BACKOFF_SECONDS: "0.01" } });
      expect(ran.code).toBe(6);
      const started = readFileSync(pids, "utf8").trim().split("\n").map(Number);
      expect(started).toHaveLength(3);
      expect(existsSync(`${pids}.alive`)).toBe(false);
      expect(started.filter(isAlive)).toEqual([]);
    },
  );
});

describe.skipIf(process.platform !== "linux")("a process of a run that", () => {
  /** Fails an agent that has started `how` before; gives that process. */
  async function left(how: string, before = ""): Promise<number> {
    const box = sandbox();
    const thread = await startTurns(box);
    const pid = join(box.cwd, "pid");
    const agent = box.write(
      "leaves",
      `${before}\n${how} sh -c 'echo $$ > "${pid}"; exec sleep 600' >/dev/null 2>&1 &\nwhile [ ! -s '${pid}' ]; do sleep 0.02; done\nexit 1\n`,
    );
    const ran = await box.uwf(["thread", "step", thread, "--agent", `sh '${agent}'`]);
    expect(ran.code).toBe(6);
    return Number(readFileSync(pid, "utf8"));
  }

  it.each([
    ["stayed in its group, with a cleared environment,", "env -i"],
    ["left its group, with its environment,", "setsid"],
  ])("%s is ended with it", async (_what, how) => {
    expect(isAlive(await left(how))).toBe(false);
  });

  const group = makeCgroup("a-test");
  removeCgroup("a-test");

  it("has left its group and cleared its environment is found by its control group, where one can be made", async () => {
    // uwf moves the agent there while it starts up.
    const joined = "until grep -q uwf- /proc/self/cgroup; do sleep 0.02; done";
    const pid = await left("env -i setsid", group === null ? "" : joined);
    try {
      expect(isAlive(pid)).toBe(group === null);
    } finally {
      process.kill(pid, "SIGKILL");
    }
  });
});

describe.skipIf(process.platform !== "linux")("a run whose files name strangers", () => {
  /** Makes the files of a run whose uwf is gone name a process that has nothing to do with it, and kills the thread. */
  async function named(spoil: (run: string, stranger: number) => void): Promise<boolean> {
    const box = sandbox();
    const thread = await startTurns(box);
    const { uwf } = await startWorking(box, thread);
    await killNow(uwf);
    const agent = Number(box.read("../agent-runs.log").trim().split(" ").at(-1));
    const stranger = reap(spawn("sleep", ["600"], { detached: true, stdio: "ignore" }));
    const folder = join(box.root, "runs", thread);
    const [token = ""] = readdirSync(folder).filter((name) => !name.endsWith(".json"));
    spoil(join(folder, token), stranger.pid ?? 0);
    await box.uwf(["thread", "kill", thread]);
    if (isAlive(agent)) process.kill(agent, "SIGKILL");
    return stranger.exitCode === null && isAlive(stranger.pid ?? 0);
  }

  const statOf = (pid: number): string => readFileSync(`/proc/${pid}/stat`, "utf8");
  const edited = (run: string, change: object): void => {
    const file = join(run, "run.json");
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...change }));
  };

  it.each<readonly [string, (run: string, stranger: number) => void]>([
    ["by its pid alone", (run, pid) => writeFileSync(join(run, "pid"), `${pid}\n`)],
    ["by a negative pid", (run, pid) => writeFileSync(join(run, "pid"), `-${pid} (x) S 1\n`)],
    ["by pid 1", (run) => writeFileSync(join(run, "pid"), "1\n")],
    ["by pid 0", (run) => writeFileSync(join(run, "pid"), "0\n")],
    [
      "by its pid with another start time",
      (run, pid) => writeFileSync(join(run, "pid"), statOf(pid).replace(/\d{3,}/g, "77")),
    ],
    [
      "by its whole record, of another boot",
      (run, pid) => {
        writeFileSync(join(run, "pid"), statOf(pid));
        edited(run, { bootId: "00000000-0000-0000-0000-000000000000", startedAt: Date.now() });
      },
    ],
    [
      "by its whole record, of another host",
      (run, pid) => {
        writeFileSync(join(run, "pid"), statOf(pid));
        edited(run, { host: "elsewhere" });
      },
    ],
  ])("has none of them signalled: %s", async (_how, spoil) => {
    expect(await named(spoil)).toBe(true);
  });
});

/** A thread whose uwf is gone, whose agent works, and whose run.json is damaged. */
async function damagedRun(box: Sandbox) {
  const thread = await startTurns(box);
  const { uwf } = await startWorking(box, thread);
  await killNow(uwf);
  const folder = join(box.root, "runs", thread);
  const [token = ""] = readdirSync(folder).filter((name) => name !== "cwd.json");
  const file = join(folder, token, "run.json");
  writeFileSync(file, "{");
  const agent = Number(box.read("../agent-runs.log").trim().split(" ").at(-1));
  return { thread, file, agent };
}

describe("a run.json that cannot be read", () => {
  it("stops a step (7) that would pay twice, and its hint says what to do", async () => {
    const box = sandbox();
    const { thread, file } = await damagedRun(box);
    const ran = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
    expect(ran).toMatchObject({ code: 7, stdout: "" });
    for (const words of [file, `uwf thread kill ${thread}`, `uwf thread steps ${thread}`])
      expect(ran.stderr).toContain(words);
    expect(agentRuns(box)).toBe(1);
    await box.json(["thread", "kill", thread]);
  });

  it.each(RUNTIMES)(
    "keeps no kill from ending the thread and its agent, and leaves a trace (%s)",
    async (runtime) => {
      const box = sandbox(runtime);
      const { thread, file, agent } = await damagedRun(box);
      const ran = await box.uwf(["thread", "kill", thread]);
      expect({ code: ran.code, said: JSON.parse(ran.stdout) }).toEqual({
        code: 0,
        said: { thread, archived: true, children: [] },
      });
      expect(ran.stderr).toContain("warning: ");
      expect(ran.stderr).toContain(file);
      expect(isAlive(agent)).toBe(false);
      expect(await box.json(["thread", "show", thread])).toMatchObject({ done: true, reason: "killed" });
      expect(existsSync(join(box.root, "runs", thread))).toBe(false);
      expect(logLines(box)).toEqual([
        expect.objectContaining({ outcome: "abandoned", code: "STORE_DAMAGED", file }),
      ]);
    },
  );

  it("is completed by the next step where a kill has died: thread ended (8)", async () => {
    const box = sandbox();
    const { thread, file, agent } = await damagedRun(box);
    await writeEnding(openStorage(box.root, { now: Date.now }), idOf(thread), { reason: "killed" });
    const ran = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
    expect(ran).toMatchObject({ code: 8, stdout: "" });
    expect(ran.stderr).toContain(file);
    await until("the agent is gone", () => !isAlive(agent));
    expect(await box.json(["thread", "list"])).toEqual([]);
  });

  it("does not keep a lock from being released: the run is not known, and a warning says why", async () => {
    const box = sandbox();
    const { thread, file } = await damagedRun(box);
    const ran = await box.uwf(["thread", "unlock", thread]);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ released: true, run: null });
    expect(ran.stderr).toContain(file);
    await box.json(["thread", "kill", thread]);
  });
});

describe("the log", () => {
  it("logs a run whose thread was ended in the meantime once, and as a failure", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { uwf, go } = await startWorking(box, thread);
    await writeEnding(openStorage(box.root, { now: Date.now }), idOf(thread), { reason: "killed" });
    const run = ended(uwf);
    go();
    expect((await run).code).toBe(8);
    expect(await box.json(["thread", "kill", thread])).toEqual({ thread, archived: true, children: [] });
    const once = { outcome: "failed", code: "THREAD_ENDED", exitCode: 0, step: expect.any(String) };
    expect(logLines(box)).toEqual([expect.objectContaining(once)]);
  });

  it("logs a step whose uwf died between the head and its line, and one that came too late", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { head: start } = await box.json(["thread", "show", thread]);
    const { head } = await box.json(["thread", "step", thread, "--agent", zoo("valid")]);
    const [first] = logLines(box);
    // As if the step had died right after it moved the head.
    for (const day of readdirSync(join(box.root, "logs"))) {
      const file = join(box.root, "logs", day);
      const lines = readFileSync(file, "utf8").split("\n");
      writeFileSync(file, lines.filter((line) => !line.includes(`"run":"${first?.run}"`)).join("\n"));
    }
    const storage = openStorage(box.root, { now: Date.now });
    const leave = (token: string, printed: string) => {
      const parts = { head: start as CasRef, role: "maker", command: ["x"], token, attempt: 1 };
      const run = newRun(storage, idOf(thread), parts);
      if (!run.ok) throw new Error(run.error.code);
      writeFileSync(run.value.stdout, printed);
    };
    leave(String(first?.run), `${head}\n`);
    leave("late", "garbage\n");
    expect((await box.uwf(["thread", "step", thread, "--agent", zoo("valid")])).code).toBe(0);
    const told = (run: unknown) => logLines(box).filter((line) => line.run === run);
    expect(told(first?.run)).toEqual([expect.objectContaining({ outcome: "step", step: head, head: start })]);
    expect(told("late")).toEqual([expect.objectContaining({ outcome: "abandoned", code: "HEAD_MOVED" })]);
  });
});
