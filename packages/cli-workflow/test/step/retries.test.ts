import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { openStorage, writeEnding } from "@uncaged/workflow-store";
import { parseThreadId } from "@uncaged/workflow-util";
import { describe, expect, it } from "vitest";
import { agentRuns, logLines } from "../support/logs.js";
import { ASKED_ZOO, ended, RUNTIMES, reap, type Sandbox, sandbox, until } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

const SHORT = { UWF_BACKOFF_SECONDS: "0.01", UWF_GRACE_SECONDS: "0.3" };
const LONG = { UWF_BACKOFF_SECONDS: "600" };

/** Makes the zoo's behaviour the default agent, with these settings. */
function configure(box: Sandbox, settings: object, ...behaviour: readonly string[]): void {
  const [command, ...words] = ASKED_ZOO;
  const agent = { command, args: [...words, ...behaviour], ...settings };
  box.write(join(box.root, "config.yaml"), JSON.stringify({ agents: { zoo: agent }, defaultAgent: "zoo" }));
}

const counter = (box: Sandbox): string => join(box.cwd, "count");

const WAYS = ["signal", "garbage", "silent", "validThenExit1"] as const;

/** How an agent fails is the same to both runtimes, and any of them does for the other one. */
const FAILURES = [
  ...RUNTIMES.map((runtime) => [runtime, "exit3"] as const),
  ...WAYS.map((how) => [RUNTIMES[0] ?? "node", how] as const),
];

describe("an agent with retries", () => {
  it.each(FAILURES)(
    "on %s that fails twice by %s and then delivers gives one step and three runs in the log",
    async (runtime, how) => {
      const box = sandbox(runtime);
      const thread = await startTurns(box);
      const { head } = await box.json(["thread", "show", thread]);
      configure(box, { retries: 2 }, "failsTimes", counter(box), "2", how);
      const ran = await box.uwf(["thread", "step", thread], { env: SHORT });
      expect(ran.code).toBe(0);
      const said = ran.stderr.split("\n").filter((line) => line.includes("; retry "));
      expect(said).toHaveLength(2);
      expect(said[0]).toMatch(/^agent .* as maker.*; retry 1 of 2 in 0\.01 s$/);
      expect(said[1]).toMatch(/; retry 2 of 2 in 0\.02 s$/);
      expect(ran.stderr).not.toContain("attempts");
      const lines = logLines(box);
      expect(lines.map(({ outcome, attempt }) => [outcome, attempt])).toEqual([
        ["failed", 1],
        ["failed", 2],
        ["step", 3],
      ]);
      expect(new Set(lines.map(({ run }) => run)).size).toBe(3);
      for (const line of lines) expect(line).toMatchObject({ head, role: "maker", thread });
      expect(agentRuns(box)).toBe(3);
      expect(readdirSync(join(box.root, "runs", thread))).toEqual(["cwd.json"]);
      expect((await box.json(["thread", "steps", thread])).steps).toHaveLength(2);
    },
  );

  it("that fails each time exits 6 and says how many attempts there were", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    configure(box, { retries: 1 }, "exit3");
    const threads = box.read("threads.yaml");
    const ran = await box.uwf(["thread", "step", thread], { env: SHORT });
    expect(ran).toMatchObject({ code: 6, stdout: "" });
    expect(ran.stderr).toContain("exited with 3 as maker; that was the last of 2 attempts\n");
    expect(agentRuns(box)).toBe(2);
    expect(box.read("threads.yaml")).toBe(threads);
  });
});

describe("retries", () => {
  it("follow a time limit too", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    configure(box, { retries: 1, timeoutSeconds: 6 }, "failsTimes", counter(box), "1", "neverExits");
    const ran = await box.uwf(["thread", "step", thread], { env: SHORT });
    expect(ran.stderr).toContain("ran longer than 6 s as maker and was ended; retry 1 of 1");
    expect(ran.code).toBe(0);
    expect(logLines(box).map(({ code = null }) => code)).toEqual(["AGENT_TIMEOUT", null]);
  });

  it("are not made by default, nor with 0", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    expect((await box.uwf(["thread", "step", thread, "--agent", zoo("exit3")])).code).toBe(6);
    configure(box, { retries: 0 }, "exit3");
    const ran = await box.uwf(["thread", "step", thread]);
    expect(ran.code).toBe(6);
    expect(ran.stderr).not.toMatch(/; retry|attempts/);
    expect(agentRuns(box)).toBe(2);
  });

  it("of the command line win over those of config.yaml, also without an alias", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    configure(box, { retries: 5 }, "exit3");
    expect((await box.uwf(["thread", "step", thread, "--retries", "0"], { env: SHORT })).code).toBe(6);
    expect(agentRuns(box)).toBe(1);
    const agent = ["--agent", zoo("failsTimes", counter(box), "2", "exit3")];
    const ran = await box.uwf(["thread", "step", thread, "--retries", "2", ...agent], { env: SHORT });
    expect(ran.code).toBe(0);
    expect(agentRuns(box)).toBe(4);
  });

  it("of thread run are counted per step", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    // Fails at its 1st and 3rd start: once in each of the two steps.
    const agent = ["--agent", zoo("failsOdd", counter(box))];
    const ran = await box.uwf(["thread", "run", thread, "--retries", "1", ...agent], { env: SHORT });
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout).done).toBe(true);
    expect(logLines(box).map(({ role, attempt }) => `${role} ${attempt}`)).toEqual([
      "maker 1",
      "maker 2",
      "checker 1",
      "checker 2",
    ]);
  });

  it.each(["-1", "many", "1.5", ""])("cannot be %j", async (count) => {
    const ran = await sandbox().uwf(["thread", "step", "01KAJ5E8ZJ4N7XK3M9T2V6W8YB", `--retries=${count}`]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("--retries");
  });

  it("do not follow what another start cannot mend: no such program, or one that cannot be started", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const file = box.write("agent.txt", "just text");
    for (const [agent, code] of [
      ["uwf-nowhere", "AGENT_NOT_FOUND"],
      [`'${file}'`, "AGENT_NOT_STARTABLE"],
    ] as const) {
      const ran = await box.uwf(["thread", "step", thread, "--retries", "3", "--agent", agent], {
        env: LONG,
      });
      expect(ran.code).toBe(4);
      expect(ran.stderr).toContain(`error[${code}]`);
      expect(ran.stderr).not.toContain("; retry");
    }
  });

  it("do not repeat a run whose hash was verified, however it ended", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const env = { ...LONG, UWF_GRACE_SECONDS: "0.3" };
    const ran = await box.uwf(["thread", "step", thread, "--retries", "3", "--agent", zoo("hashAndStays")], {
      env,
    });
    expect(ran.code).toBe(0);
    expect(agentRuns(box)).toBe(1);
  });
});

describe("between two runs", () => {
  /** A step that waits for its first retry for ten minutes. */
  async function waiting(box: Sandbox) {
    const thread = await startTurns(box);
    const command = ["thread", "step", thread, "--retries", "3", "--agent", zoo("exit3")];
    const child = reap(box.start(command, { env: LONG }));
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      said += chunk;
    });
    const run = ended(child);
    await until("the step waits", () => said.includes("retry 1 of 3 in 600 s"));
    return { thread, child, run };
  }

  // Which signals end a step, and with what code, is concurrency.test.ts's matter.
  it("a signal ends the step, and no agent runs again", async () => {
    const box = sandbox();
    const { thread, child, run } = await waiting(box);
    child.kill("SIGTERM");
    expect((await run).code).toBe(143);
    expect(agentRuns(box)).toBe(1);
    expect((await box.uwf(["thread", "step", thread, "--agent", zoo("valid")])).code).toBe(0);
  });

  it("a kill ends the step with 8, or with its SIGTERM where the step had seen the ending first", async () => {
    const box = sandbox();
    const { thread, run } = await waiting(box);
    expect(await box.json(["thread", "kill", thread])).toEqual({ thread, archived: true, children: [] });
    expect([8, null]).toContain((await run).code);
    expect(agentRuns(box)).toBe(1);
  });

  it("an ending alone is enough: its writer may not be able to signal us", async () => {
    const box = sandbox();
    const { thread, run } = await waiting(box);
    const id = parseThreadId(thread);
    if (!id.ok) throw new Error(id.error.code);
    await writeEnding(openStorage(box.root, { now: Date.now }), id.value, { reason: "killed" });
    expect((await run).code).toBe(8);
    expect(agentRuns(box)).toBe(1);
  });

  it("the thread is busy for everybody else", async () => {
    const box = sandbox();
    const { thread, child, run } = await waiting(box);
    expect((await box.uwf(["thread", "step", thread, "--agent", zoo("valid")])).code).toBe(75);
    child.kill("SIGINT");
    await run;
  });

  it("SIGKILL loses nothing: the next step counts from 1 again", async () => {
    const box = sandbox();
    const { thread, child, run } = await waiting(box);
    child.kill("SIGKILL");
    await run;
    expect((await box.uwf(["thread", "step", thread, "--agent", zoo("valid")])).code).toBe(0);
    expect(logLines(box).map(({ outcome, attempt }) => [outcome, attempt])).toEqual([
      ["failed", 1],
      ["step", 1],
    ]);
  });
});

describe("a run that uwf did not live to see the end of", () => {
  it("uses up no retry", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const gate = join(box.cwd, "gate");
    const child = reap(box.start(["thread", "step", thread, "--agent", zoo("ignoresTerm", gate)]));
    const run = ended(child);
    await until("the agent runs", () => existsSync(`${gate}.started`));
    child.kill("SIGKILL");
    await run;
    const agent = Number(box.read("../agent-runs.log").trim().split(" ").at(-1));
    process.kill(agent, "SIGKILL");
    const command = ["thread", "step", thread, "--wait=30", "--retries", "1"];
    const ran = await box.uwf([...command, "--agent", zoo("failsTimes", counter(box), "1", "exit3")], {
      env: SHORT,
    });
    expect(ran.code).toBe(0);
    expect(logLines(box).map(({ outcome, attempt }) => [outcome, attempt])).toEqual([
      ["abandoned", 1],
      ["failed", 1],
      ["step", 2],
    ]);
  });
});
