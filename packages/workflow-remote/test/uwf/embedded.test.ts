import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { ended, reap, until, ZOO } from "../../../cli-workflow/test/support/uwf.js";
import { HUMAN, remoteBox } from "./support.js";

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
      const { steps } = await box.json(["thread", "steps", thread]);
      expect(steps.slice(1).map(({ role }) => role)).toEqual(["maker", "checker"]);
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
    const other = await box.uwf(["remote", "status"], { env: box.env });
    expect([other.code, other.stderr]).toEqual([75, expect.stringContaining("error[REMOTE_IN_USE]")]);
    const dead = ended(first);
    first.kill("SIGKILL");
    await dead;
    box.write(gate, "");
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 2, refused: 0, failed: 0 });
    expect(box.agentRuns()).toHaveLength(2);
    expect(await box.events(thread)).toEqual(["submitted", "step", "step"]);
  });

  it("that is killed between claim and step leaves a thread that is not stepped by hand, and the next one goes on", async () => {
    const box = await remoteBox(null);
    const thread = await box.submit();
    const { env } = box.worker("one", "valid");
    const preload = resolve(import.meta.dirname, "../../../cli-workflow/test/support/killed-around-step.cjs");
    const dead = await box.uwf(DRAIN, {
      env: { ...env, UWF_RUNTIME: "node", NODE_OPTIONS: `--require ${preload}` },
    });
    expect(dead.code).not.toBe(0);
    const byHand = await box.uwf(["thread", "step", thread], { env });
    expect([byHand.code, byHand.stderr]).toEqual([9, expect.stringContaining("error[THREAD_ON_REMOTE]")]);
    expect(box.agentRuns()).toEqual([]);
    expect(await box.json(DRAIN, { env })).toMatchObject({ steps: 2, refused: 0, failed: 0 });
    expect(box.agentRuns()).toHaveLength(2);
  });
});

describe("a thread that the remote has", () => {
  it("does not go on here by `thread step`, `pause` or `resume`, which name the way there, and the way apart", async () => {
    const box = await remoteBox(null);
    const thread = await box.submit();
    const { head } = await box.json(["thread", "fetch", thread], { env: box.env });
    for (const verb of ["resume", "pause", "step", "run", "kill"]) {
      const { code, stderr } = await box.uwf(["thread", verb, thread]);
      expect([verb, code, stderr]).toEqual([verb, 9, expect.stringContaining("error[THREAD_ON_REMOTE]")]);
      expect(stderr).toContain(`uwf thread show ${thread} --remote`);
      expect(stderr).toContain(`uwf thread fork ${head}`);
    }
    expect(await box.json(["thread", "show", thread])).toMatchObject({
      done: false,
      held: { for: "remote" },
    });
    for (const words of [
      ["note", thread, "Mind the gap"],
      ["limit", thread, "--max-steps", "3"],
    ]) {
      const { code, stderr } = await box.uwf(["thread", ...words]);
      expect([code, stderr]).toEqual([0, expect.stringContaining("a worker of this storage root takes")]);
    }
  });

  it("that was started here may get a folder or a repository when it is pushed, and only then", async () => {
    const box = await remoteBox(null);
    const start = async (): Promise<string> =>
      (await box.json(["thread", "start", "turns", "-p", "Do it"])).thread;
    const push = async (...words: readonly string[]) =>
      box.uwf(["thread", "push", ...words], { env: box.env });
    const [plain, placed] = [await start(), await start()];
    expect((await push(plain)).stderr).toContain("its agents work in an empty folder of each worker now");
    expect(await push(placed, "--cwd", "there")).toMatchObject({ code: 0, stderr: "" });
    const cwd = async (thread: string) => (await box.show(thread)).cwd;
    expect([await cwd(plain), await cwd(placed)]).toEqual([null, join(box.cwd, "there")]);
    const again = await push(placed, "--workspace", "https://git.example/shop.git");
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining("has the thread already")]);
    const both = await push(await start(), "--cwd", "/x", "--workspace", "https://git.example/shop.git");
    expect(both.stderr).toContain("its agents would have two folders");
  });

  it("tells a person who has answered to look there, and has `--remote` in the answer to copy", async () => {
    const box = await remoteBox(null, HUMAN);
    const thread = await box.submit();
    const { env } = box.worker("one", "valid");
    const asked = await box.uwf(DRAIN, { env });
    expect(asked.stderr).toContain(`${thread} waits for an answer as checker: Check it`);
    const answer = ["thread", "answer", thread, "--remote"];
    const show = ["thread", "show", thread, "--remote", "--format", "text"];
    const state = await box.uwf(show, { env: box.env });
    expect(state.stdout).toMatch(new RegExp(`next: uwf thread answer ${thread} --remote\n$`));
    const before = await box.events(thread);
    const shown = await box.uwf([...answer, "--show"], { env: box.env });
    // Who only looks leaves no trace, there or here.
    expect(await box.events(thread)).toEqual(before);
    expect((await box.uwf(["thread", "show", thread])).code).toBe(3);
    const wrong = await box.uwf([...answer, "--field", "approved=perhaps"], { env: box.env });
    expect(wrong.stderr).toContain(`\`uwf thread answer ${thread} --show --remote\``);
    expect(shown.stdout).toMatch(/uwf thread answer \S+ --field approved=\S+ --head \w{13} --remote\n/);
    const ran = await box.uwf([...answer, "--field", "approved=true", "--format", "text"], { env: box.env });
    expect(ran.stdout).toContain(`answered thread ${thread} of the remote`);
    expect(ran.stdout).toContain(`uwf thread show ${thread} --remote`);
    await box.uwf(["thread", "kill", thread, "--remote"], { env: box.env });
    const ended = await box.uwf(show, { env: box.env });
    expect(ended.stdout).toMatch(/^ID +WORKFLOW +STEPS +CHANGED +STATE\n\S+ +turns +1 .* ended\n/);
    expect(ended.stdout).toMatch(/WHEN {2}WHAT\n.*brought to the remote/);
    expect(ended.stdout).toContain(`next: uwf thread read ${thread} --remote\n`);
  });

  it("takes the answer to the question that was shown, and to no later one", async () => {
    const rejected = "{ rejected: { description: again, expression: 'steps[-1].output.approved = false' } }";
    const asksAgain = HUMAN.replace("conditions: {}", `conditions: ${rejected}`).replace(
      "checker: [{",
      "checker: [{ role: checker, condition: rejected }, {",
    );
    const box = await remoteBox(null, asksAgain);
    const thread = await box.submit();
    const { env } = box.worker("one", "valid");
    const answer = (...words: readonly string[]) =>
      box.uwf(["thread", "answer", thread, "--remote", ...words], { env: box.env });
    await box.uwf(DRAIN, { env });
    const shown = (await answer("--show")).stdout;
    const [, head = ""] = /--head (\w{13}) --remote\n/.exec(shown) ?? [];
    expect((await answer("--field", "approved=false", "--head", head, "--by", "ada")).code).toBe(0);
    await box.uwf(DRAIN, { env });
    const late = await answer("--field", "approved=true", "--head", head, "--by", "bob");
    expect([late.code, late.stderr]).toEqual([75, expect.stringContaining("error[QUESTION_GONE]")]);
    expect(late.stderr).toContain("ada has answered");
    expect(await box.show(thread)).toMatchObject({ ended: null, steps: 1, held: { for: "answer" } });
  });

  it("may work in a folder that only its workers have", async () => {
    const box = await remoteBox(null);
    const folder = join(box.cwd, "at-the-worker");
    const { thread } = await box.json(["thread", "submit", "turns", "-p", "Do it", "--cwd", folder], {
      env: box.env,
    });
    mkdirSync(folder);
    const { env } = box.worker("one", "valid");
    const worked = await box.uwf(DRAIN, { env });
    expect(worked.stderr).toContain(`${thread} maker, step 1\n`);
    expect(worked.stderr).toContain(`${thread} checker, step 2: the thread has ended (end)\n`);
    const told = await box.uwf(["log", "--remote", "--format", "text"], { env: box.env });
    expect(told.stdout).toMatch(/step 1, maker, pushed by \S+\/workers\/one: the thread stands at/);
    const notAsked = await box.uwf(
      ["thread", "answer", await box.submit(), "--remote", "--field", "text=x"],
      {
        env: box.env,
      },
    );
    expect([notAsked.code, notAsked.stderr]).toEqual([
      4,
      expect.stringContaining("--remote` shows its state"),
    ]);
  });

  it("takes the place of another history of it here, whose head is named", async () => {
    const box = await remoteBox(null);
    const thread = await box.submit();
    const { env, root } = box.worker("one", "valid");
    await box.json(["thread", "fetch", thread], { env });
    rmSync(join(root, "runs", thread, "pause.json"));
    await box.json(["thread", "step", thread], { env });
    const rejecting = `'${process.execPath}' '${ZOO}' rejecting`;
    const { head } = await box.json(["thread", "step", thread, "--agent", rejecting], { env });
    const other = box.worker("two", "valid");
    await box.json(DRAIN, { env: other.env });
    const fetched = await box.uwf(["thread", "fetch", thread], { env });
    expect([fetched.code, fetched.stderr]).toEqual([0, expect.stringContaining(`uwf thread fork ${head}`)]);
  });
});

describe("a worker for one workflow", () => {
  it("takes its name or its hash, and says when there is none of that name", async () => {
    const box = await remoteBox(null);
    const { env } = box.worker("one", "valid");
    await box.submit();
    const [{ hash = "" } = {}] = await box.json<readonly { hash: string }[]>(["workflow", "list"]);
    const unknown = await box.uwf([...DRAIN, "--workflow", "turns"], { env });
    expect([unknown.code, unknown.stderr]).toEqual([
      3,
      expect.stringContaining("there is no workflow turns"),
    ]);
    const other = await box.json([...DRAIN, "--workflow", "0000000000000"], { env });
    expect(other).toMatchObject({ steps: 0 });
    expect(await box.json([...DRAIN, "--max-steps", "1", "--workflow", hash], { env })).toMatchObject({
      steps: 1,
    });
    await box.json(["workflow", "put", join(box.cwd, "turns.yaml")], { env });
    expect(await box.json([...DRAIN, "--workflow", "turns"], { env })).toMatchObject({ steps: 1 });
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
    expect((await box.uwf(["remote", "status"], { env })).stderr).toContain("there is no database in");
    expect(existsSync(join(box.home, "other"))).toBe(false);
    const unknown = await box.uwf(["thread", "show", "01ABCD", "--remote"], { env: box.env });
    expect([unknown.code, unknown.stderr]).toEqual([3, expect.stringContaining("error[NOT_ON_REMOTE]")]);
    const latest = await box.uwf(["thread", "fetch", "latest"], { env: box.env });
    expect(latest.stderr).toContain("`latest` is a thread of this storage root");
  });

  it("an empty one says how to begin", async () => {
    const box = await remoteBox(null);
    const listed = (...words: readonly string[]) =>
      box.uwf(["thread", "list", "--remote", "--format", "text", ...words], { env: box.env });
    expect((await listed()).stdout).toMatch(/^the remote has no active threads; `uwf thread submit/);
    expect((await listed("--all")).stdout).toMatch(/^the remote has no threads/);
    expect((await listed("--held")).stdout).toBe("no thread of the remote waits for anything\n");
    const promptless = await box.uwf(["thread", "submit", "turns"], { env: box.env });
    expect(promptless.stderr).toContain("see `uwf help thread submit`");
  });
});
