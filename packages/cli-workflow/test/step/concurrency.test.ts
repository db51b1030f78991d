import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { type Doc, ended, RUNTIMES, reap, type Sandbox, sandbox, until } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

function agentRuns(box: Sandbox): readonly string[] {
  const file = join(box.root, "..", "agent-runs.log");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}

/** Starts a step whose agent waits for the file `gate`, and waits until that agent runs. */
async function stepAtGate(box: Sandbox, thread: string, behaviour = "waits") {
  const gate = join(box.cwd, "gate");
  const child = reap(box.start(["thread", "step", thread, "--agent", zoo(behaviour, `'${gate}'`)]));
  const run = ended(child);
  await until("the agent runs", () => existsSync(`${gate}.started`));
  return { child, run, open: () => box.write(gate, "") };
}

describe("of many processes", () => {
  it("10 that start a thread leave 10 threads", async () => {
    const box = sandbox();
    await startTurns(box);
    const starts = Array.from({ length: 10 }, (_, index) =>
      box.json(["thread", "start", "turns", "-p", `task ${index}`]),
    );
    const ids = (await Promise.all(starts)).map((output) => output.thread);
    const listed = (await box.json<readonly Doc[]>(["thread", "list"])).map(
      (item: { thread: string }) => item.thread,
    );
    expect(new Set(ids).size).toBe(10);
    expect(listed).toEqual(expect.arrayContaining(ids));
    expect(listed).toHaveLength(11);
  });

  it("8 that step one thread one runs the agent, the others exit 75", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const gate = join(box.cwd, "gate");
    const command = ["thread", "step", thread, "--agent", zoo("waits", `'${gate}'`)];
    const runs = Array.from({ length: 8 }, () => ended(reap(box.start(command))));
    const settled: number[] = [];
    for (const run of runs) void run.then((ran) => settled.push(ran.code ?? -1));
    await until("seven have ended", () => settled.length === 7);
    expect(settled).toEqual(Array(7).fill(75));
    box.write(gate, "");
    const codes = (await Promise.all(runs)).map((ran) => ran.code).sort();
    expect(codes).toEqual([0, 75, 75, 75, 75, 75, 75, 75]);
    expect(agentRuns(box)).toHaveLength(1);
  });

  it("8 that expect one head take one step, however they wait", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { head } = await box.json(["thread", "show", thread]);
    const command = [
      "thread",
      "step",
      thread,
      "--wait",
      "--expect",
      head.toLowerCase(),
      "--agent",
      zoo("valid"),
    ];
    const runs = await Promise.all(Array.from({ length: 8 }, () => ended(reap(box.start(command)))));
    expect(runs.map(({ code }) => code).sort()).toEqual([0, 75, 75, 75, 75, 75, 75, 75]);
    expect(agentRuns(box)).toHaveLength(1);
    const late = await box.uwf([...command, "--retries", "0"]);
    expect(late.stderr).toMatch(new RegExp(`error\\[HEAD_MOVED\\].* from ${head} to `));
    expect(late.stdout).toBe("");
  });

  it("one that expects no hash says so", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const refused = await box.uwf(["thread", "step", thread, "--expect", "64KB"]);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("error[MALFORMED_HASH]")]);
  });

  it("8 that step 8 threads lose nothing", async () => {
    const box = sandbox();
    const threads = [await startTurns(box)];
    for (let index = 1; index < 8; index += 1) {
      threads.push((await box.json(["thread", "start", "turns", "-p", `task ${index}`])).thread);
    }
    const outputs = await Promise.all(
      threads.map((thread) => box.json(["thread", "step", thread, "--agent", zoo("valid")])),
    );
    const listed = await box.json<readonly Doc[]>(["thread", "list"]);
    for (const output of outputs)
      expect(listed).toContainEqual(expect.objectContaining({ thread: output.thread, head: output.head }));
    expect(agentRuns(box)).toHaveLength(8);
  });

  it("one that waits gets its turn after the other", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const first = await stepAtGate(box, thread);
    const second = ended(reap(box.start(["thread", "step", thread, "--wait", "--agent", zoo("valid")])));
    first.open();
    expect((await first.run).code).toBe(0);
    expect((await second).code).toBe(0);
    expect((await box.json(["thread", "steps", thread])).steps).toHaveLength(3);
  });
});

describe("uwf killed with SIGKILL while its agent works", () => {
  it("leaves a thread that is busy, and then takes the result over: the agent ran once", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { child, run, open } = await stepAtGate(box, thread);
    child.kill("SIGKILL");
    await run;
    const busy = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")]);
    expect(busy.code).toBe(75);
    expect(busy.stderr).toContain("is still running");
    open();
    const adopted = await box.uwf(["thread", "step", thread, "--wait=30", "--agent", zoo("garbage")]);
    expect(adopted.code).toBe(0);
    expect(agentRuns(box)).toHaveLength(1);
    expect((await box.json(["thread", "steps", thread])).steps).toHaveLength(2);
  });

  it("and its run.json names a head that the thread never had: damage (7), the agent is not paid again", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { child, run, open } = await stepAtGate(box, thread);
    child.kill("SIGKILL");
    await run;
    open();
    const runs = join(box.root, "runs", thread);
    const [token = ""] = readdirSync(runs).filter((name) => name !== "cwd.json");
    const file = join(runs, token, "run.json");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace(/"head":"[^"]+"/, '"head":"0000000000000"'));
    const ran = await box.uwf(["thread", "step", thread, "--wait=30", "--agent", zoo("valid")]);
    expect(ran).toMatchObject({ code: 7, stdout: "" });
    expect(ran.stderr).toContain(file);
    expect(agentRuns(box)).toHaveLength(1);
    await until("the agent has ended", () => readFileSync(join(file, "../stdout"), "utf8") !== "");
    writeFileSync(file, text);
    expect((await box.uwf(["thread", "step", thread, "--wait=30", "--agent", zoo("garbage")])).code).toBe(0);
    expect(agentRuns(box)).toHaveLength(1);
  });

  it("and the agent with it: the next step starts a new run", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { child, run } = await stepAtGate(box, thread);
    const agent = Number(agentRuns(box)[0]?.split(" ").at(-1));
    child.kill("SIGKILL");
    await run;
    process.kill(agent, "SIGKILL");
    const next = await box.uwf(["thread", "step", thread, "--wait=30", "--agent", zoo("valid")]);
    expect(next.code).toBe(0);
    expect(agentRuns(box)).toHaveLength(2);
  });
});

describe("a signal", () => {
  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s ends the agent and exits %i; the head has not moved", async (signal, code) => {
    const box = sandbox();
    const thread = await startTurns(box);
    const threads = box.read("threads.yaml");
    const { child, run } = await stepAtGate(box, thread);
    child.kill(signal);
    expect((await run).code).toBe(code);
    expect(box.read("threads.yaml")).toBe(threads);
    expect((await box.uwf(["thread", "step", thread, "--agent", zoo("valid")])).code).toBe(0);
  });

  it("lets a result that still arrives count", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { child, run } = await stepAtGate(box, thread, "deliversOnTerm");
    child.kill("SIGTERM");
    const ran = await run;
    expect(ran.code).toBe(143);
    const { head } = await box.json(["thread", "show", thread]);
    expect(ran.stderr).toContain(`the step was recorded as ${head}`);
    expect((await box.json(["thread", "steps", thread])).steps).toHaveLength(2);
  });

  it("of a kill after the step was recorded is reported as the end of the thread", async () => {
    const box = sandbox("node");
    const thread = await startTurns(box);
    const preload = resolve(import.meta.dirname, "../support/killed-late.cjs");
    const env = { NODE_OPTIONS: `--require ${preload}` };
    const ran = await box.uwf(["thread", "step", thread, "--agent", zoo("valid")], { env });
    expect(ran).toMatchObject({ code: 8, stdout: "" });
    expect(ran.stderr).toContain(`error[THREAD_ENDED]: thread ${thread} `);
    expect((await box.json(["thread", "steps", thread])).steps).toHaveLength(2);
  });

  it("that comes when the step has brought the thread to its end has interrupted nothing", async () => {
    const box = sandbox("node");
    const thread = await startTurns(box);
    const command = ["thread", "step", thread, "--agent", zoo("valid")];
    expect((await box.uwf(command)).code).toBe(0);
    const preload = resolve(import.meta.dirname, "../support/killed-late.cjs");
    const env = { NODE_OPTIONS: `--require ${preload}`, UWF_TEST_KILL: "signal" };
    const ran = await box.uwf(command, { env });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(ran.stdout)).toMatchObject({ thread, done: true });
  });

  it.each(RUNTIMES)("ends a step that waits for its turn, as signals do (%s)", async (runtime) => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    const first = await stepAtGate(box, thread);
    const waiting = reap(box.start(["thread", "step", thread, "--wait", "--agent", zoo("valid")]));
    const run = ended(waiting);
    await until("it watches for signals", () => catches(waiting.pid ?? 0, 15));
    waiting.kill("SIGTERM");
    expect(await run).toMatchObject({ signal: "SIGTERM" });
    first.open();
    expect((await first.run).code).toBe(0);
    expect(agentRuns(box)).toHaveLength(1);
  });

  it("ends a step that waits for a holder on another host, whose pid is the same as its own", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const lock = join(box.root, "locks", `thread-${thread}.lock`);
    const holder = { startTime: "1", bootId: "b", host: "another-host", pidNamespace: "pid:[1]", nonce: "n" };
    const holdBy = (pid: number) => box.write(lock, JSON.stringify({ ...holder, pid, acquiredAt: 1 }));
    holdBy(1);
    const waiting = reap(box.start(["thread", "step", thread, "--wait", "--agent", zoo("valid")]));
    const run = ended(waiting);
    holdBy(waiting.pid ?? 0);
    await until("it watches for signals", () => catches(waiting.pid ?? 0, 15));
    waiting.kill("SIGTERM");
    expect(await run).toMatchObject({ signal: "SIGTERM" });
    expect(agentRuns(box)).toHaveLength(0);
  });

  it("is followed by SIGKILL for an agent that ignores it", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const gate = join(box.cwd, "gate");
    const command = ["thread", "step", thread, "--agent", zoo("ignoresTerm", `'${gate}'`)];
    const child = reap(box.start(command, { env: { UWF_GRACE_SECONDS: "0.3" } }));
    const run = ended(child);
    await until("the agent runs", () => existsSync(`${gate}.started`));
    child.kill("SIGTERM");
    expect((await run).code).toBe(143);
    const agent = Number(agentRuns(box)[0]?.split(" ").at(-1));
    await until("the agent is gone", () => !isAlive(agent));
  });
});

describe("kill", () => {
  it("stops the running step, which exits 8, and archives the thread", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { run } = await stepAtGate(box, thread);
    expect(await box.json(["thread", "kill", thread])).toEqual({ thread, archived: true, children: [] });
    expect((await run).code).toBe(8);
    expect(await box.json(["thread", "show", thread])).toMatchObject({ done: true, reason: "killed" });
    expect(await box.json<readonly Doc[]>(["thread", "list"])).toEqual([]);
    expect((await box.uwf(["thread", "step", thread, "--agent", zoo("valid")])).code).toBe(8);
    expect((await box.uwf(["thread", "kill", thread])).code).toBe(8);
    expect(agentRuns(box)).toHaveLength(1);
  });

  it("ends an agent whose uwf is gone", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { child, run } = await stepAtGate(box, thread);
    child.kill("SIGKILL");
    await run;
    const agent = Number(agentRuns(box)[0]?.split(" ").at(-1));
    expect(await box.json(["thread", "kill", thread])).toEqual({ thread, archived: true, children: [] });
    await until("the agent is gone", () => !isAlive(agent));
  });
});

/** Whether a process has a handler of its own for a signal. */
function catches(pid: number, signal: number): boolean {
  const mask = /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return ((BigInt(`0x${mask ?? 0}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.[0] !== "Z";
  } catch {
    return false;
  }
}
