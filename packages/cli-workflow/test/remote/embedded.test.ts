import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, reap, until } from "../support/uwf.js";
import { remoteBox } from "./support.js";

const HUMAN = `name: turns
description: A person decides
roles:
  checker:
    description: checks
    goal: Check it
    capabilities: []
    procedure: ""
    output: ""
    agent: human
    meta: { type: object, required: [approved], properties: { approved: { type: boolean } }, additionalProperties: false }
conditions: {}
graph:
  $START: [{ role: checker, condition: null }]
  checker: [{ role: $END, condition: null }]
`;

const DRAIN = ["worker", "--until-idle"];

describe("a worker on an embedded database", () => {
  it("takes submitted threads to their end, in a folder of their own, and fetch brings them here", async () => {
    const box = await remoteBox(null);
    const threads = [await box.submit(), await box.submit()];
    const { env, root } = box.worker("one", "valid");
    const worked = await box.json([...DRAIN, "--jobs", "2"], { env });
    expect(worked).toEqual({ steps: 4, refused: 0, failed: 0 });
    expect(box.agentRuns()).toHaveLength(4);
    for (const thread of threads) {
      expect(await box.show(thread)).toMatchObject({ ended: "end", steps: 2, leasedBy: null });
      expect(existsSync(join(root, "workspaces", thread))).toBe(true);
      await box.json(["thread", "fetch", thread], { env: box.env });
      expect((await box.json(["thread", "steps", thread])).steps.map(({ role }) => role)).toEqual([
        "maker",
        "checker",
      ]);
    }
    expect(await box.json(["cas", "verify"])).toMatchObject({ problems: [] });
    expect(await box.json(["remote", "status"], { env: box.env })).toMatchObject({
      threads: { ready: 0, leased: 0, ended: 2 },
      roots: [],
    });
  });

  it("that is killed while the agent runs leaves a step that the next one pushes, and runs no agent twice", async () => {
    const box = await remoteBox(null);
    const thread = await box.submit();
    const gate = join(box.cwd, "gate");
    const { env } = box.worker("one", "waits", gate);
    const first = reap(box.start(["worker"], { env }));
    await until("the agent runs", () => existsSync(`${gate}.started`));
    const dead = ended(first);
    first.kill("SIGKILL");
    await dead;
    box.write(gate, "");
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 2, refused: 0, failed: 0 });
    expect(box.agentRuns()).toHaveLength(2);
    expect(await box.events(thread)).toEqual(["submitted", "step", "step"]);
  });

  it("finishes and pushes what runs when it is told to stop", async () => {
    const box = await remoteBox(null);
    const thread = await box.submit();
    const gate = join(box.cwd, "gate");
    const { env } = box.worker("one", "waits", gate);
    const child = reap(box.start(["worker"], { env }));
    const ran = ended(child);
    await until("the agent runs", () => existsSync(`${gate}.started`));
    child.kill("SIGTERM");
    box.write(gate, "");
    const { code, stdout } = await ran;
    expect([code, JSON.parse(stdout)]).toEqual([0, { steps: 1, refused: 0, failed: 0 }]);
    expect(await box.show(thread)).toMatchObject({ steps: 1, ended: null, leasedBy: null });
  });

  it("is the only one of its root", async () => {
    const box = await remoteBox(null);
    await box.submit();
    const gate = join(box.cwd, "gate");
    const { env } = box.worker("one", "waits", gate);
    reap(box.start(["worker"], { env }));
    await until("the agent runs", () => existsSync(`${gate}.started`));
    const second = await box.uwf(["worker"], { env });
    expect([second.code, second.stderr]).toEqual([75, expect.stringContaining("error[WORKER_BUSY]")]);
    expect(second.stdout).toBe("");
    box.write(gate, "");
  });

  it("puts a thread aside whose agent fails, and goes on with it when somebody resumes it", async () => {
    const box = await remoteBox(null);
    const thread = await box.submit();
    const failing = box.worker("one", "exit3");
    expect(await box.json(DRAIN, { env: failing.env })).toEqual({ steps: 0, refused: 0, failed: 1 });
    expect(await box.show(thread)).toMatchObject({ held: { for: "failure", code: "AGENT_FAILED" }, leasedBy: null });
    const { env } = box.worker("one", "valid");
    expect(await box.json(DRAIN, { env })).toEqual({ steps: 0, refused: 0, failed: 0 });
    await box.json(["thread", "resume", thread, "--remote"], { env: box.env });
    expect(await box.json(DRAIN, { env })).toEqual({ steps: 2, refused: 0, failed: 0 });
  });

  it("leaves a question to a person, who answers it from another root", async () => {
    const box = await remoteBox(null, HUMAN);
    const thread = await box.submit();
    const { env } = box.worker("one", "valid");
    expect(await box.json(DRAIN, { env })).toEqual({ steps: 0, refused: 0, failed: 0 });
    const held = await box.json<readonly object[]>(["thread", "list", "--held", "--remote"], { env: box.env });
    expect(held).toMatchObject([{ thread, held: { for: "answer", role: "checker" } }]);
    const answer = ["thread", "answer", thread, "--remote"];
    const wrong = await box.uwf([...answer, "--field", "approved=perhaps"], { env: box.env });
    expect(wrong.code).toBe(4);
    expect(await box.show(thread)).toMatchObject({ held: { for: "answer" }, leasedBy: null, steps: 0 });
    await box.json([...answer, "--field", "approved=true"], { env: box.env });
    expect(await box.show(thread)).toMatchObject({ ended: "end", steps: 1, held: null, leasedBy: null });
    expect(box.agentRuns()).toEqual([]);
    expect((await box.uwf([...answer, "--field", "approved=true"], { env: box.env })).code).toBe(8);
  });

  it("goes on with a thread that was started elsewhere and pushed; there it is paused", async () => {
    const box = await remoteBox(null);
    const { thread } = await box.json(["thread", "start", "turns", "-p", "Do it"]);
    const pushed = await box.json(["thread", "push", thread], { env: box.env });
    expect(pushed).toMatchObject({ thread, outcome: "added" });
    expect((await box.uwf(["thread", "step", thread])).stderr).toContain("error[THREAD_PAUSED]");
    expect(await box.json(["thread", "push", thread], { env: box.env })).toMatchObject({ outcome: "unchanged" });
    const { env } = box.worker("one", "valid");
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 2 });
    expect(await box.json(["thread", "fetch", thread], { env: box.env })).toMatchObject({ ended: "end", steps: 2 });
    expect(await box.json(["thread", "show", thread])).toMatchObject({ done: true });
  });

  it("whose root is gone loses what runs there; another root takes the thread when the lease is over", async () => {
    const box = await remoteBox(null);
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
    box.write(gate, "");
  });

  it("keeps the address of the database from its agents", async () => {
    const box = await remoteBox(null);
    const thread = await box.submit();
    const { env, root } = box.worker("one", "printsPieces", "UWF_REMOTE_URL", "1000");
    await box.json(DRAIN, { env });
    const logged = await box.uwf(["log", "--thread", thread], { env: { ...env, UNCAGED_WORKFLOW_STORAGE_ROOT: root } });
    expect(logged.stdout).toContain("key undefined end");
  });
});

describe("without a remote", () => {
  it("each command says how to name one, and init how to make one", async () => {
    const box = await remoteBox(null);
    const unset = await box.uwf(["worker"]);
    expect([unset.code, unset.stderr]).toEqual([4, expect.stringContaining("error[REMOTE_NOT_SET]")]);
    const env = { UWF_REMOTE_URL: `pglite:${join(box.home, "other")}` };
    const unready = await box.uwf(["thread", "list", "--remote"], { env });
    expect([unready.code, unready.stderr]).toEqual([4, expect.stringContaining("`uwf remote init`")]);
    const unknown = await box.uwf(["thread", "show", "01ABCD", "--remote"], { env: box.env });
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining("error[NOT_ON_REMOTE]")]);
  });
});
