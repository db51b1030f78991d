import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { UnlockOutput } from "@uncaged/workflow-protocol";
import { describe, expect, it } from "vitest";
import { ended, RUNTIMES, type Sandbox, sandbox, until } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";
import { agentRuns, killNow, lockFile, moveElsewhere, startWorking } from "./support.js";

const unlock = (box: Sandbox, ...args: readonly string[]) => box.uwf(["thread", "unlock", ...args]);
const unlocked = (box: Sandbox, ...args: readonly string[]) =>
  box.json<UnlockOutput>(["thread", "unlock", ...args]);

describe("uwf thread unlock", () => {
  it("finds nothing to do if no process holds the thread", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const before = box.snapshot();
    const nothing = { thread, released: false, holder: null, run: null };
    expect(await unlocked(box, thread.slice(0, 20))).toEqual(nothing);
    expect(await unlocked(box, thread.slice(-4).toLowerCase())).toEqual(nothing);
    expect(await unlocked(box, thread, "--force")).toEqual(nothing);
    expect(box.snapshot()).toEqual(before);
  });

  it.each(RUNTIMES)(
    "releases what a killed uwf left, tells of its agent, and loses no run (%s)",
    async (runtime) => {
      const box = sandbox(runtime);
      const thread = await startTurns(box);
      const { uwf, go } = await startWorking(box, thread);
      await killNow(uwf);
      expect(await unlocked(box, thread)).toEqual({
        thread,
        released: true,
        holder: {
          pid: uwf.pid,
          host: expect.any(String),
          since: expect.any(Number),
          judgement: "dead",
          because: expect.stringMatching(/^no .*process has its pid/),
        },
        run: { role: "maker", startedAt: expect.any(Number), agentAlive: true },
      });
      expect(existsSync(lockFile(box, thread))).toBe(false);
      const busy = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
      expect(busy).toMatchObject({ code: 75, stdout: "" });
      go();
      const stepped = await box.json(["thread", "step", thread, "--wait=30", "--agent", zoo("valid")]);
      expect({ done: stepped.done, runs: agentRuns(box) }).toEqual({ done: false, runs: 1 });
    },
  );

  it("leaves a living holder alone, says who it is, and what to do", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { uwf, go } = await startWorking(box, thread);
    const before = readFileSync(lockFile(box, thread), "utf8");
    const refused = await unlock(box, thread);
    expect(refused).toMatchObject({ code: 75, stdout: "" });
    expect(refused.stderr).toContain(`error[THREAD_BUSY]: thread ${thread} is busy: pid ${uwf.pid} on host `);
    expect(refused.stderr).toContain("it is alive: a process with its pid and start time is running");
    expect(refused.stderr).toMatch(/its run as maker began \S+Z, and the agent lives/);
    expect(refused.stderr).toContain(`uwf thread kill ${thread}`);
    expect(refused.stderr).toContain("--force");
    expect(readFileSync(lockFile(box, thread), "utf8")).toBe(before);
    go();
    expect((await ended(uwf)).code).toBe(0);
  });

  it("takes the lock from a living holder on a person's word, and says what that means", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { uwf, go } = await startWorking(box, thread);
    const taken = await unlock(box, thread, "--force");
    expect(taken.code).toBe(0);
    expect(JSON.parse(taken.stdout)).toMatchObject({ released: true, holder: { judgement: "alive" } });
    expect(taken.stderr).toMatch(
      /^warning: taken from pid \d+ .*; if it is alive, the next step starts a second agent/,
    );
    expect(existsSync(lockFile(box, thread))).toBe(false);
    go();
    const lost = await ended(uwf);
    expect(lost.code).toBe(75);
    expect(lost.stderr).toContain("error[CLAIM_LOST]");
    const log = await box.json<readonly object[]>(["log", "--thread", thread]);
    expect(log).toContainEqual(
      expect.objectContaining({
        event: "unlocked",
        lock: "thread",
        holder: expect.objectContaining({ pid: uwf.pid }),
      }),
    );
  });

  it("cannot judge a holder on another host: that one goes by force only", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { uwf } = await startWorking(box, thread);
    await killNow(uwf);
    moveElsewhere(lockFile(box, thread));
    const refused = await unlock(box, thread);
    expect(refused).toMatchObject({ code: 75, stdout: "" });
    expect(refused.stderr).toContain(
      "whether it is alive cannot be checked from here: it is on another host",
    );
    const step = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
    expect(step.code).toBe(75);
    expect(step.stderr).toContain(`uwf thread unlock ${thread}`);
    expect(await unlocked(box, thread, "--force")).toMatchObject({
      released: true,
      holder: { host: "another-host", judgement: "unknown" },
    });
  });

  it.each([
    ["another machine of this name", { bootId: "00000000-0000-0000-0000-000000000000" }],
    ["another host", { host: "another-host" }],
    ["another pid namespace", { pidNamespace: "pid:[1]" }],
  ])(
    "cannot judge a run of %s without its lock either: no second agent before a person says so",
    async (_where, origin) => {
      const box = sandbox();
      const thread = await startTurns(box);
      const { uwf, go } = await startWorking(box, thread);
      await killNow(uwf);
      rmSync(lockFile(box, thread));
      const names = readdirSync(join(box.root, "runs", thread));
      const [token = ""] = names.filter((name) => name !== "cwd.json");
      const file = join(box.root, "runs", thread, token, "run.json");
      writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...origin }));
      const step = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
      expect(step).toMatchObject({ code: 75, stdout: "" });
      expect(step.stderr).toContain("cannot be checked from here");
      expect(await unlock(box, thread)).toMatchObject({ code: 75, stdout: "" });
      expect(agentRuns(box)).toBe(1);
      const agentPid = Number.parseInt(
        readFileSync(join(box.root, "runs", thread, token, "pid"), "utf8"),
        10,
      );
      go();
      await until("the agent has ended", () => !existsSync(`/proc/${agentPid}`));
      expect(await unlocked(box, thread, "--force")).toMatchObject({ released: true, holder: null });
      expect((await box.uwf(["thread", "step", thread, "--agent", zoo("valid")])).code).toBe(0);
    },
  );

  it("does the same for the lock of the index", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const nothing = { thread: null, released: false, holder: null, run: null };
    expect(await unlocked(box, "--index")).toEqual(nothing);
    const { uwf } = await startWorking(box, thread);
    const file = join(box.root, "locks", "index.lock");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, readFileSync(lockFile(box, thread), "utf8"));
    const refused = await unlock(box, "--index");
    expect(refused).toMatchObject({ code: 75, stdout: "" });
    expect(refused.stderr).toContain("error[LOCK_BUSY]");
    expect(refused.stderr).toContain("uwf thread unlock --index");
    await killNow(uwf);
    expect(await unlocked(box, "--index")).toMatchObject({
      thread: null,
      released: true,
      holder: { pid: uwf.pid },
    });
    expect(existsSync(file)).toBe(false);
  });

  it("takes a thread or --index, and knows the thread", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    for (const args of [[], [thread, "--index"], ["0123"]]) {
      const ran = await unlock(box, ...args);
      expect({ code: ran.code, stdout: ran.stdout }).toEqual({
        code: args[0] === "0123" ? 3 : 2,
        stdout: "",
      });
    }
  });

  it("says to a machine what it says to a person", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { uwf, go } = await startWorking(box, thread);
    const ran = await unlock(box, thread, "--error-format", "json");
    expect(JSON.parse(ran.stderr)).toMatchObject({
      code: "THREAD_BUSY",
      retryable: true,
      hint: expect.stringContaining("--force"),
      data: { thread, holder: expect.stringContaining(`pid ${uwf.pid}`) },
    });
    go();
    await until("the step has ended", () => uwf.exitCode !== null);
  });
});
