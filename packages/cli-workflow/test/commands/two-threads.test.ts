import { beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { startMade, startTurns, TURNS, zoo } from "../support/workflows.js";

let box: Sandbox;

beforeEach(() => {
  box = sandbox();
});

const fork = (...words: readonly string[]) => box.uwf(["thread", "fork", ...words]);

describe("a fork of an active thread", () => {
  it("says that two threads go on, how to end one, and that files stay", async () => {
    const { thread, head } = await startMade(box);
    const ran = await fork(head);
    const forked = JSON.parse(ran.stdout).thread;
    expect(ran.stderr.split("\n").slice(0, -1)).toEqual([
      `two threads go on from here now, ${thread} and ${forked}: \`uwf thread kill ${thread}\` ends one`,
      `the files in ${box.cwd} stay as later steps left them`,
    ]);
    expect((await fork(head, "--cwd", box.home)).stderr).toContain(
      `3 threads go on from here now, ${thread} and ${forked} and `,
    );
    const moved = await fork(
      head,
      "--workflow",
      box.write("turns.yaml", TURNS.replace("Make it", "Make one")),
    );
    expect(moved.stderr).toContain("threads go on from here now");
  });

  it("in the place of it says only the latter, and a plan says nothing", async () => {
    const { thread, head } = await startMade(box);
    expect((await fork(head, "--dry-run")).stderr).toBe("");
    const ran = await fork(head, "--instead-of", thread);
    expect(ran.stderr).not.toContain("threads go on");
    expect(ran.stderr).toContain("stay as later steps left them");
    const of = await fork(head, "--error-format", "json", "--cwd", box.cwd);
    for (const line of of.stderr.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("notice");
  });

  it("of an ended one says that files stay", async () => {
    const thread = await startTurns(box);
    const { head } = await box.json(["thread", "run", thread, "--agent", zoo("valid")]);
    expect((await fork(head)).stderr).toBe(`the files in ${box.cwd} stay as later steps left them\n`);
  });
});

describe("a copy of an active thread", () => {
  it("is announced by the export and by its first step", async () => {
    const { thread } = await startMade(box);
    const exported = await box.uwf(["cas", "export", thread, "-o", "copy.car"]);
    expect(exported.stderr).toBe(
      `thread ${thread} is active and goes on here; once the export is imported, two threads go on: \`uwf thread kill ${thread}\` ends one, here or there\n`,
    );
    const other = sandbox();
    await other.json(["cas", "import", `${box.cwd}/copy.car`]);
    const step = () => other.uwf(["thread", "step", thread, "--agent", zoo("valid", "approved: false")]);
    const first = await other.uwf(["thread", "step", thread, "--agent", "false"]);
    expect(first.stderr).toContain(
      `warning: thread ${thread} was imported: if it goes on where it comes from too, two threads go on; \`uwf thread kill ${thread}\` ends one, here or there`,
    );
    expect((await step()).stderr).not.toContain("was imported");
  });

  it("is none if it has ended", async () => {
    const thread = await startTurns(box);
    await box.json(["thread", "run", thread, "--agent", zoo("valid")]);
    expect((await box.uwf(["cas", "export", thread, "-o", "copy.car"])).stderr).toBe("");
  });
});

describe("a workflow that has changed since a thread began", () => {
  const changedOf = async (thread: string) =>
    (await box.json<{ changed?: { from: string; command: string } }>(["thread", "show", thread])).changed;
  const start = async (workflow: string) => (await box.json(["thread", "start", workflow, "-p", "x"])).thread;

  it.each([
    ["a file", "turns.yaml", "./turns.yaml"],
    ["a file of the project", ".workflows/turns.yaml", "turns"],
  ])("as %s is named by thread show, with the command that moves the thread", async (_what, path, named) => {
    const file = box.write(path, TURNS);
    const thread = await start(named);
    expect(await changedOf(thread)).toBeUndefined();
    box.write(path, `# a comment\n${TURNS}`);
    expect(await changedOf(thread)).toBeUndefined();
    box.write(path, TURNS.replace("Make it", "Make one"));
    const changed = await changedOf(thread);
    const { head } = await box.json(["thread", "show", thread]);
    expect(changed).toMatchObject({
      from: file,
      command: `uwf thread fork ${head} --workflow ${file} --instead-of ${thread}`,
    });
    const words = (changed?.command ?? "").split(" ").slice(1);
    const moved = await box.json(words);
    expect(await changedOf(moved.thread)).toBeUndefined();
    box.write(path, TURNS.replace("Make it", "Make two"));
    expect(await changedOf(moved.thread)).toMatchObject({ from: file });
  });

  it("as a name is that of the registry", async () => {
    const file = box.write("turns.yaml", TURNS);
    await box.json(["workflow", "put", file]);
    const thread = await start("turns");
    box.write("turns.yaml", TURNS.replace("Make it", "Make one"));
    expect(await changedOf(thread)).toBeUndefined();
    await box.json(["workflow", "put", file]);
    expect(await changedOf(thread)).toMatchObject({ from: "turns" });
  });

  it("is not named if it is gone or invalid, nor of a thread that has ended", async () => {
    const file = box.write("turns.yaml", TURNS);
    const thread = await start(file);
    box.write("turns.yaml", "name: turns\nroles: {");
    expect(await changedOf(thread)).toBeUndefined();
    await box.uwf(["thread", "kill", thread]);
    box.write("turns.yaml", TURNS.replace("Make it", "Make one"));
    expect(await changedOf(thread)).toBeUndefined();
  });
});
