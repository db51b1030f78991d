import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, reap, until } from "../../../cli-workflow/test/support/uwf.js";
import { BINARIES, type Server, startPostgres } from "../support/postgres.js";
import { HUMAN, remoteBox } from "./support.js";

const DRAIN = ["worker", "--until-idle"];

describe.skipIf(BINARIES === null)("a worker on PostgreSQL", () => {
  const starting: Promise<Server> | null = BINARIES === null ? null : startPostgres();
  const server = async (): Promise<Server> => {
    if (starting === null) throw new Error("skipped");
    return starting;
  };
  const newBox = async (workflow?: string) => remoteBox((await server()).database(), workflow);

  it("finishes and pushes what runs when it is told to stop", async () => {
    const box = await newBox();
    const thread = await box.submit();
    const gate = join(box.cwd, "gate");
    const { env } = box.worker("one", "waits", gate);
    const health = join(box.cwd, "health");
    const child = reap(box.start(["worker", "--lease", "1", "--health-file", health], { env }));
    const ran = ended(child);
    await until("the agent runs", () => existsSync(`${gate}.started`));
    const first = box.readAt(health);
    await until("it was heard of again", () => box.readAt(health) !== first);
    child.kill("SIGTERM");
    box.write(gate, "");
    const { code, stdout } = await ran;
    expect([code, JSON.parse(stdout)]).toEqual([0, { steps: 1, refused: 0, failed: 0 }]);
    expect(await box.show(thread)).toMatchObject({ steps: 1, ended: null, leasedBy: null });
  });

  it("is the only one of its root", async () => {
    const box = await newBox();
    await box.submit();
    const gate = join(box.cwd, "gate");
    const { env } = box.worker("one", "waits", gate);
    reap(box.start(["worker"], { env }));
    await until("the agent runs", () => existsSync(`${gate}.started`));
    const second = await box.uwf(["worker"], { env });
    expect([second.code, second.stderr]).toEqual([75, expect.stringContaining("error[WORKER_BUSY]")]);
    expect(second.stdout).toBe("");
    const status = await box.uwf(["remote", "status", "--format", "text"], { env: box.env });
    // A long path breaks the line.
    const words = status.stdout.replaceAll("\n", " ");
    expect(words).toMatch(/ \S+:\S+\/workers\/one \(root \w{6}\): seen .* has 1 thread /);
    box.write(gate, "");
  });

  it("puts a thread aside whose agent fails, and goes on with it when somebody resumes it", async () => {
    const box = await newBox();
    const thread = await box.submit();
    const failing = box.worker("one", "exit3");
    expect(await box.json(DRAIN, { env: failing.env })).toEqual({ steps: 0, refused: 0, failed: 1 });
    expect(await box.show(thread)).toMatchObject({
      held: { for: "failure", code: "AGENT_FAILED" },
      leasedBy: null,
    });
    const { env } = box.worker("one", "valid");
    expect(await box.json(DRAIN, { env })).toEqual({ steps: 0, refused: 0, failed: 0 });
    await box.json(["thread", "resume", thread, "--remote"], { env: box.env });
    expect(await box.json(DRAIN, { env })).toEqual({ steps: 2, refused: 0, failed: 0 });
  });

  it("ends if its root has no agent, and leaves the thread to others", async () => {
    const box = await newBox();
    const thread = await box.submit();
    const { env, root } = box.worker("one", "valid");
    rmSync(join(root, "config.yaml"));
    const unfit = await box.uwf(DRAIN, { env });
    expect([unfit.code, unfit.stderr]).toEqual([4, expect.stringContaining("error[WORKER_UNFIT]")]);
    expect(await box.show(thread)).toMatchObject({ held: null, leasedBy: null, steps: 0 });
    const other = box.worker("two", "valid");
    expect(await box.json(DRAIN, { env: other.env })).toMatchObject({ steps: 2 });
  });

  it("leaves a question to a person, who answers it from another root", async () => {
    const box = await newBox(HUMAN);
    const thread = await box.submit();
    const { env } = box.worker("one", "valid");
    expect(await box.json(DRAIN, { env })).toEqual({ steps: 0, refused: 0, failed: 0 });
    const held = await box.json<readonly object[]>(["thread", "list", "--held", "--remote"], {
      env: box.env,
    });
    expect(held).toMatchObject([{ thread, held: { for: "answer", role: "checker" } }]);
    const answer = ["thread", "answer", thread, "--remote"];
    const wrong = await box.uwf([...answer, "--field", "approved=perhaps"], { env: box.env });
    expect(wrong.code).toBe(4);
    expect(await box.show(thread)).toMatchObject({ held: { for: "answer" }, leasedBy: null, steps: 0 });
    await box.json([...answer, "--field", "approved=true"], { env: box.env });
    expect(await box.show(thread)).toMatchObject({ ended: "end", steps: 1, held: null, leasedBy: null });
    expect(box.agentRuns()).toEqual([]);
    const late = await box.uwf([...answer, "--field", "approved=true"], { env: box.env });
    expect([late.code, late.stderr]).toEqual([
      8,
      expect.stringContaining(`uwf thread read ${thread} --remote`),
    ]);
    const told = await box.uwf(["log", "--remote", "--format", "text"], { env: { ...box.env, USER: "ada" } });
    expect(told.stdout).toMatch(/the thread waits for an answer as checker: Check it/);
    expect(told.stdout).toMatch(/step 1, checker, answered by \w+: the thread has ended \(end\) at/);
  });

  it("goes on with a thread that was started elsewhere and pushed, and not there", async () => {
    const box = await newBox();
    const { thread } = await box.json(["thread", "start", "turns", "-p", "Do it"]);
    const pushed = await box.json(["thread", "push", thread], { env: box.env });
    expect(pushed).toMatchObject({ thread, outcome: "added" });
    expect((await box.uwf(["thread", "step", thread])).stderr).toContain("error[THREAD_ON_REMOTE]");
    expect(await box.json(["thread", "push", thread], { env: box.env })).toMatchObject({
      outcome: "unchanged",
    });
    const { env } = box.worker("one", "valid");
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 2 });
    expect(await box.json(["thread", "fetch", thread], { env: box.env })).toMatchObject({
      ended: "end",
      steps: 2,
    });
    expect(await box.json(["thread", "show", thread])).toMatchObject({ done: true });
  });

  it("whose root is gone loses what runs there; another root takes the thread when the lease is over", async () => {
    const box = await newBox();
    const thread = await box.submit();
    const gate = join(box.cwd, "gate");
    const lost = box.worker("lost", "waits", gate);
    const first = reap(box.start(["worker", "--lease", "1"], { env: lost.env }));
    await until("the agent runs", () => existsSync(`${gate}.started`));
    const dead = ended(first);
    first.kill("SIGKILL");
    await dead;
    rmSync(lost.root, { recursive: true, force: true });
    const { env } = box.worker("next", "valid");
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 2 });
    expect(await box.events(thread)).toEqual(["submitted", "lost", "step", "step"]);
    expect(await box.show(thread)).toMatchObject({ ended: "end", steps: 2 });
    const told = await box.uwf(["log", "--remote", "--thread", thread, "--format", "text"], { env: box.env });
    const [was, is] = ["lost", "next"].map((name) => String.raw`\S+:\S+/workers/${name}`);
    expect(told.stdout).toMatch(
      new RegExp(`taken by ${is} from ${was}, .*: a step that it had begun runs again`),
    );
    const again = `step 1, maker, pushed by ${is} \\(${was} may have run it too, before it was lost\\): the thread stands`;
    expect(told.stdout).toMatch(new RegExp(again));
    expect(told.stdout).toMatch(
      new RegExp(`step 2, checker, pushed by ${is}: the thread has ended \\(end\\)`),
    );
    box.write(gate, "");
  });

  it("whose root has lost a thread leaves one there that is stepped no more, by hand either", async () => {
    const box = await newBox();
    const thread = await box.submit();
    const lost = box.worker("lost", "waits", join(box.cwd, "gate"));
    const first = reap(box.start(["worker", "--lease", "1"], { env: lost.env }));
    await until("the agent runs", () => existsSync(join(box.cwd, "gate.started")));
    const dead = ended(first);
    first.kill("SIGKILL");
    await dead;
    const next = box.worker("next", "rejecting");
    expect(await box.json(["worker", "--max-steps", "1"], { env: next.env })).toMatchObject({ steps: 1 });
    // What the dead worker's uwf still records here is not where the thread goes on.
    const headHere = (): string => box.readAt(join(lost.root, "threads.yaml"));
    const stood = headHere();
    box.write("gate", "");
    await until("its step is recorded", () => headHere() !== stood);
    const before = box.agentRuns().length;
    for (const words of [["step", "--wait"], ["step"], ["run"]]) {
      const byHand = await box.uwf(["thread", ...words, thread], { env: lost.env });
      expect([byHand.code, byHand.stderr]).toEqual([9, expect.stringContaining("error[THREAD_ON_REMOTE]")]);
      expect(byHand.stderr).toContain(`uwf thread show ${thread} --remote`);
    }
    expect(box.agentRuns()).toHaveLength(before);
    expect(await box.json(["thread", "show", thread], { env: lost.env })).toMatchObject({
      held: { for: "remote" },
    });
    // What it had finished is kept where all can see it, once the thread comes back to it.
    const { head } = await box.json(["thread", "show", thread], { env: lost.env });
    const last = await box.uwf(DRAIN, { env: lost.env });
    expect(JSON.parse(last.stdout)).toMatchObject({ steps: 1, refused: 0, failed: 0 });
    expect(last.stderr).toContain(`${head} was withdrawn, and is kept`);
    const { refused } = await box.json<{ readonly refused: unknown }>(["remote", "status"], { env: box.env });
    expect(refused).toEqual([{ thread, head }]);
    const told = await box.uwf(["log", "--remote", "--thread", thread, "--format", "text"], { env: box.env });
    expect(told.stdout).toMatch(/step 1, maker, withdrawn by \S+\/workers\/lost: `uwf thread fork/);
    expect((await box.json(["thread", "fork", head], { env: lost.env })).thread).not.toBe(thread);
  });

  it("tells what a killed one had finished, though the threads have ended elsewhere meanwhile", async () => {
    const box = await newBox();
    const threads = [await box.submit(), await box.submit()];
    const gate = join(box.cwd, "gate");
    const lost = box.worker("lost", "waits", gate);
    const first = reap(box.start(["worker", "--jobs", "2", "--lease", "1"], { env: lost.env }));
    await until("the agents run", () => box.agentRuns().length === 2);
    const dead = ended(first);
    first.kill("SIGKILL");
    await dead;
    // Of one of them another root takes the step, of the other nobody does.
    const next = box.worker("next", "rejecting");
    expect(await box.json(["worker", "--max-steps", "1"], { env: next.env })).toMatchObject({ steps: 1 });
    for (const thread of threads) await box.json(["thread", "kill", thread, "--remote"], { env: box.env });
    const headHere = async (thread: string): Promise<string> =>
      (await box.json(["thread", "show", thread], { env: lost.env })).head;
    const began = await Promise.all(threads.map(headHere));
    box.write(gate, "");
    const heads: string[] = [];
    for (const [at, thread] of threads.entries()) {
      let head = began[at] ?? "";
      for (let asked = 0; asked < 200 && head === began[at]; asked += 1) head = await headHere(thread);
      heads.push(head);
    }
    const again = await box.uwf(DRAIN, { env: lost.env });
    for (const head of heads) expect(again.stderr).toContain(`${head} was withdrawn, and is kept`);
    const status = await box.json<{ readonly refused: unknown; readonly threads: unknown }>(
      ["remote", "status"],
      { env: box.env },
    );
    expect(status.refused).toEqual(threads.map((thread, at) => ({ thread, head: heads[at] })));
    expect(status.threads).toEqual({ ready: 0, leased: 0, held: 0, failed: 0, ended: 2 });
    for (const thread of threads)
      expect(await box.json(["thread", "show", thread], { env: lost.env })).toMatchObject({ done: true });
    // Once.
    expect((await box.uwf(DRAIN, { env: lost.env })).stderr).toBe("");
  });

  it("keeps the address of the database from its agents", async () => {
    const box = await newBox();
    const thread = await box.submit();
    const { env, root } = box.worker("one", "printsPieces", "UWF_REMOTE_URL", "1000");
    await box.json(DRAIN, { env });
    const logged = await box.uwf(["log", "--thread", thread], {
      env: { ...env, UNCAGED_WORKFLOW_STORAGE_ROOT: root },
    });
    expect(logged.stdout).toContain("key undefined end");
  });

  it("ends the step of a thread that somebody kills", async () => {
    const box = await newBox();
    const thread = await box.submit();
    const gate = join(box.cwd, "gate");
    const { env } = box.worker("one", "waits", gate);
    const child = reap(box.start(["worker", "--until-idle", "--lease", "3"], { env }));
    const ran = ended(child);
    await until("the agent runs", () => existsSync(`${gate}.started`));
    await box.json(["thread", "kill", thread, "--remote"], { env: box.env });
    expect((await ran).code).toBe(0);
    expect(await box.show(thread)).toMatchObject({ ended: "killed", steps: 0, leasedBy: null });
    const told = await box.uwf(["log", "--remote", "--format", "text"], { env: box.env });
    expect(told.stdout).toMatch(/the thread was killed, and the step that \S+\/workers\/one had begun/);
    expect(existsSync(gate)).toBe(false);
  });

  it("that was silent for longer than its lease can push no more, and what it paid for is kept", async () => {
    const box = await newBox();
    const thread = await box.submit();
    const { env } = box.worker("next", "rejecting");
    const one = ["worker", "--max-steps", "1"];
    await box.json(one, { env });
    const gate = join(box.cwd, "gate");
    const slow = box.worker("slow", "waits", gate);
    const child = reap(box.start(["worker", "--lease", "1"], { env: slow.env }));
    let said = "";
    child.stderr?.on("data", (piece) => {
      said += piece;
    });
    const ran = ended(child);
    await until("the agent runs", () => existsSync(`${gate}.started`));
    child.kill("SIGSTOP");
    // Its agent goes on, and approves; the other worker's rejects.
    box.write(gate, "");
    await until("the thread has ended in its root", () => existsSync(join(slow.root, "history.jsonl")));
    expect(await box.json(one, { env })).toMatchObject({ steps: 1 });
    child.kill("SIGCONT");
    await until("it says that it came too late", () => said.includes("came too late"));
    child.kill("SIGTERM");
    expect((await ran).code).toBe(0);
    const events = ["submitted", "step", "lost", "step", "refused"];
    expect((await box.events(thread)).slice(0, 5)).toEqual(events);
    const { refused } = await box.json<{ readonly refused: readonly { readonly head: string }[] }>(
      ["remote", "status"],
      { env: box.env },
    );
    expect(refused).toMatchObject([{ thread }]);
    const fork = await box.json(["thread", "fork", refused[0]?.head ?? ""], { env: slow.env });
    expect(fork.thread).not.toBe(thread);
    // Whoever goes on goes on from the head that won; the slow root follows it.
    expect(await box.json(DRAIN, { env: slow.env })).toMatchObject({ refused: 0, failed: 0 });
    expect(await box.show(thread)).toMatchObject({ ended: "end", steps: 4 });
  });

  it("whose database goes away keeps the finished step, and pushes it when the database is back", async () => {
    const own = await startPostgres();
    const box = await remoteBox(own.url);
    const thread = await box.submit();
    const gate = join(box.cwd, "gate");
    const { env } = box.worker("one", "waits", gate);
    const child = reap(box.start(DRAIN, { env }));
    let said = "";
    child.stderr?.on("data", (piece) => {
      said += piece;
    });
    const ran = ended(child);
    await until("the agent runs", () => existsSync(`${gate}.started`));
    await own.stop();
    box.write(gate, "");
    await until("it tries to push in vain", () => said.includes("trying again until it answers"));
    await own.start();
    const { code, stdout } = await ran;
    expect([code, JSON.parse(stdout)]).toEqual([0, { steps: 2, refused: 0, failed: 0 }]);
    expect(box.agentRuns()).toHaveLength(2);
    expect(await box.show(thread)).toMatchObject({ ended: "end", steps: 2 });
    const told = await box.uwf(["log", "--remote", "--format", "text"], { env: box.env });
    expect(told.stdout).toMatch(/step 1, maker, pushed by \S+, after the database had been away: /);
  });

  it("and three others take every step once, though each is killed again and again", async () => {
    const box = await newBox();
    const threads: string[] = [];
    for (let count = 0; count < 6; count += 1) threads.push(await box.submit());
    const roots = ["a", "b", "c", "d"].map((name) => box.worker(name, "valid"));
    for (const seen of [1, 4, 7]) {
      const children = roots.map(({ env }) => reap(box.start(["worker", "--jobs", "2"], { env })));
      const gone = children.map(ended);
      await until("some agents have run", () => box.agentRuns().length >= seen);
      for (const child of children) child.kill("SIGKILL");
      await Promise.all(gone);
    }
    const last = await Promise.all(roots.map(({ env }) => box.uwf(DRAIN, { env })));
    expect(last.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    for (const thread of threads) {
      expect(await box.show(thread)).toMatchObject({ ended: "end", steps: 2, leasedBy: null });
    }
    const runs = box.agentRuns().map((run) => run.split(" ").slice(0, 2).join(" "));
    expect(runs.sort()).toEqual(threads.flatMap((each) => [`${each} checker`, `${each} maker`]).sort());
  });
});
