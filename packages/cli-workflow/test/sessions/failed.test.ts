import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { logLines } from "../support/logs.js";
import { ended, RUNTIMES, reap, type Sandbox, SCRIPT_RUNNER, sandbox, until } from "../support/uwf.js";
import { startTurns } from "../support/workflows.js";
import { KEEPS } from "./support.js";

const ENV = { UWF_BACKOFF_SECONDS: "0", UWF_GRACE_SECONDS: "1" };

async function place(box: Sandbox) {
  const folder = join(box.cwd, "sessions");
  mkdirSync(folder);
  const thread = await startTurns(box);
  const agent = (behaviour: string): object => ({
    command: SCRIPT_RUNNER,
    args: [KEEPS, folder, behaviour],
  });
  const step = (given: object, ...options: readonly string[]) => {
    box.write(join(box.root, "config.yaml"), JSON.stringify({ agents: { it: given }, defaultAgent: "it" }));
    return box.uwf(["thread", "step", thread, ...options], { env: ENV });
  };
  /** What each session has been sent. */
  const sent = (): Readonly<Record<string, readonly string[]>> => {
    const files = readdirSync(folder).sort();
    return Object.fromEntries(
      files.map((name) => [
        name.replace(".session", ""),
        readFileSync(join(folder, name), "utf8").split("=====\n").slice(0, -1),
      ]),
    );
  };
  return { folder, thread, agent, step, sent };
}

describe("a run that fails once its session is known", () => {
  it.each(RUNTIMES)("by its limit of time is continued by the next step (%s)", async (runtime) => {
    const box = sandbox(runtime);
    const { thread, agent, step, sent } = await place(box);
    expect((await step({ ...agent("hangs"), timeoutSeconds: 4 })).code).toBe(6);
    expect(logLines(box).at(-1)).toMatchObject({ sessionId: "s-1", cwd: box.cwd, reason: "timeout" });
    const ran = await step(agent("works"));
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const [first, second] = sent()["s-1"] ?? [];
    expect(first).not.toContain("# Your earlier attempt");
    expect(second).toContain("# Your earlier attempt");
    expect(second).toMatch(/<attempt reason="timeout">\n.* ran longer than 4 s .*\n<\/attempt>/);
    const { head } = await box.json(["thread", "show", thread]);
    expect(await box.json(["thread", "step-details", head])).toMatchObject({ sessionId: "s-1" });
  });

  it("by a crash is continued by the next step", async () => {
    const { agent, step, sent } = await place(sandbox());
    expect((await step(agent("crashes"))).code).toBe(6);
    expect((await step(agent("works"))).code).toBe(0);
    expect(sent()["s-1"]?.[1]).toContain('<attempt reason="crashed">');
  });

  it("by what it says itself is continued by the retries of the same step", async () => {
    const { agent, step, sent } = await place(sandbox());
    expect((await step(agent("fails"), "--retries", "1")).code).toBe(0);
    expect(Object.keys(sent())).toEqual(["s-1"]);
    expect(sent()["s-1"]?.[1]).toContain("the tests could not be started");
  });

  it("by the end of its uwf is continued by the next step", async () => {
    const box = sandbox();
    const { folder, thread, agent, step, sent } = await place(box);
    box.write(
      join(box.root, "config.yaml"),
      JSON.stringify({ agents: { it: agent("hangs") }, defaultAgent: "it" }),
    );
    const uwf = reap(box.start(["thread", "step", thread]));
    await until("the session is known", () => readdirSync(folder).length > 0 && hasReport(box, thread));
    const [token = ""] = runsOf(box, thread);
    const pid = Number(readFileSync(join(box.root, "runs", thread, token, "pid"), "utf8").split(/\s/)[0]);
    const over = ended(uwf);
    uwf.kill("SIGKILL");
    await over;
    process.kill(pid, "SIGKILL");
    expect((await step(agent("works"), "--wait", "10")).code).toBe(0);
    expect(sent()["s-1"]?.[1]).toContain("uwf died while it ran");
  });

  it("is not continued by another program", async () => {
    const box = sandbox();
    const { folder, agent, step, sent } = await place(box);
    await step(agent("crashes"));
    const other = join(box.cwd, "uwf-other");
    copyFileSync(SCRIPT_RUNNER, other);
    await step({ command: other, args: [KEEPS, folder, "works"] });
    expect(Object.keys(sent())).toEqual(["s-1", "s-2"]);
    expect(sent()["s-2"]?.[0]).not.toContain("# Your earlier attempt");
  });

  it("is not continued in another folder, which is said", async () => {
    const box = sandbox();
    const { agent, step, sent } = await place(box);
    await step(agent("crashes"));
    mkdirSync(join(box.cwd, "other"));
    const { stderr } = await step(agent("works"), "--cwd", join(box.cwd, "other"));
    expect(stderr).toContain(`session s-1 was not continued: it belongs to the folder ${box.cwd}`);
    expect(Object.keys(sent())).toEqual(["s-1", "s-2"]);
  });

  it("starts a new session if its session is lost", async () => {
    const { folder, agent, step, sent } = await place(sandbox());
    await step(agent("crashes"));
    rmSync(join(folder, "s-1.session"));
    const ran = await step(agent("works"));
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining("session s-1 was not continued") });
    expect(sent()["s-1"]?.[0]).not.toContain("# Your earlier attempt");
  });

  it("is left alone where config.yaml says `resume: false`", async () => {
    const { agent, step, sent } = await place(sandbox());
    await step({ ...agent("crashes"), resume: false });
    await step({ ...agent("works"), resume: false });
    expect(Object.keys(sent())).toEqual(["s-1", "s-2"]);
  });
});

function runsOf(box: Sandbox, thread: string): readonly string[] {
  return readdirSync(join(box.root, "runs", thread)).filter((name) => !name.includes("."));
}

function hasReport(box: Sandbox, thread: string): boolean {
  return runsOf(box, thread).some((token) =>
    readdirSync(join(box.root, "runs", thread, token)).includes("report.json"),
  );
}
