import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { ThreadListItem, ThreadShowOutput } from "@uncaged/workflow-protocol";
import { beforeEach, describe, expect, it } from "vitest";
import { startWorking } from "../operator/support.js";
import { traced } from "../sessions/support.js";
import { waiter } from "../support/gate.js";
import { ended, type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";

function starts(box: Sandbox): number {
  const file = join(box.cwd, "starts");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
}

const show = (box: Sandbox, thread: string) => box.json<ThreadShowOutput>(["thread", "show", thread]);
const list = (box: Sandbox, ...args: readonly string[]) =>
  box.json<ThreadListItem[]>(["thread", "list", ...args]);
const logged = (box: Sandbox, thread: string) =>
  box.json<readonly { readonly outcome?: string; readonly event?: string }[]>(["log", "--thread", thread]);

let box: Sandbox;
let thread: string;

beforeEach(async () => {
  box = sandbox();
  thread = await startTurns(box);
});

const step = (agent: string, id = thread) => box.uwf(["thread", "step", id, "--agent", agent]);
const hold = () => join(box.root, "runs", thread, "hold.json");
const pauseFile = () => join(box.root, "runs", thread, "pause.json");

describe("an agent that waits for an answer", () => {
  const WAITS = '{"for":"answer","question":"May I deploy?\\nTo production."}';

  it("ends the step with 9: nothing on stdout, no step, no run left, one line in the log", async () => {
    const { head } = await show(box, thread);
    const ran = await step(waiter(box, WAITS));
    expect(ran).toMatchObject({ code: 9, stdout: "" });
    expect(ran.stderr).toContain(
      `error[WAITING_FOR_ANSWER]: thread ${thread} waits for an answer as maker: May I deploy?`,
    );
    expect(ran.stderr).toContain(`uwf thread answer ${thread} --show`);
    expect(readdirSync(join(box.root, "runs", thread)).sort()).toEqual(["cwd.json", "hold.json"]);
    expect((await logged(box, thread)).filter(({ outcome }) => outcome !== undefined)).toMatchObject([
      { outcome: "waiting" },
    ]);
    expect(await show(box, thread)).toMatchObject({
      head,
      done: false,
      lastFailure: null,
      running: null,
      held: {
        for: "answer",
        role: "maker",
        question: "May I deploy?\nTo production.",
        threads: [],
        until: null,
      },
    });
  });

  it("is not started again, and the log does not grow, however often the thread is stepped", async () => {
    const agent = waiter(box, WAITS);
    await step(agent);
    const before = await logged(box, thread);
    for (let count = 0; count < 3; count += 1)
      expect(await step(agent)).toMatchObject({ code: 9, stdout: "" });
    expect(starts(box)).toBe(1);
    expect(await logged(box, thread)).toEqual(before);
  });

  it("is shown by next, by list and by --held; `thread run` prints the state", async () => {
    const other = (await box.json(["thread", "start", "turns", "-p", "Another"])).thread;
    await step(waiter(box, WAITS));
    const next = await box.json<{ readonly held: unknown }>(["thread", "next", thread]);
    expect(next).toMatchObject({ next: "maker", held: { for: "answer" } });
    expect(await list(box)).toMatchObject([{ thread, held: { for: "answer" } }, { thread: other }]);
    expect((await list(box, "--held")).map((item) => item.thread)).toEqual([thread]);
    const ran = await box.uwf(["thread", "run", thread, "--agent", waiter(box, WAITS)]);
    expect(ran.code).toBe(9);
    expect(JSON.parse(ran.stdout)).toMatchObject({ thread, done: false });
  });

  it("runs again when it is asked to wait no longer than until a time that has come", async () => {
    const agent = waiter(box, `{"for":"answer","question":null,"until":${Date.now() - 1}}`);
    await step(agent);
    await step(agent);
    expect(starts(box)).toBe(2);
    expect(await show(box, thread)).toMatchObject({ held: null });
  });

  it("counts since the thread came to its head: a second wait does not start afresh", async () => {
    const agent = waiter(box, WAITS);
    await step(agent);
    const first = (await show(box, thread)).held?.since;
    rmSync(hold());
    await step(agent);
    expect((await show(box, thread)).held?.since).toBe(first);
  });

  it("does not hold the thread for another agent, and no longer at another head", async () => {
    await step(waiter(box, WAITS));
    expect(await step(zoo("valid"))).toMatchObject({ code: 0 });
    expect(await show(box, thread)).toMatchObject({ held: null });
    expect(existsSync(hold())).toBe(true);
  });
});

describe("an agent that waits for a change", () => {
  it("runs at every step", async () => {
    const agent = waiter(box, '{"for":"change","question":"the reply in the chat"}');
    expect((await step(agent)).stderr).toContain("error[WAITING]: ");
    await step(agent);
    expect(starts(box)).toBe(2);
  });

  it("is left alone until the time that it names", async () => {
    const agent = waiter(box, `{"for":"change","until":${Date.now() + 3_600_000}}`);
    await step(agent);
    await step(agent);
    expect(starts(box)).toBe(1);
  });
});

describe("an agent that waits for other threads", () => {
  const waitFor = async (other: string, held: boolean) => {
    const { head } = await show(box, other);
    return waiter(box, JSON.stringify({ for: "threads", threads: [{ thread: other, head, held }] }));
  };

  it("runs again when one of them has moved", async () => {
    const other = (await box.json(["thread", "start", "turns", "-p", "Another"])).thread;
    const agent = await waitFor(other, false);
    const ran = await step(agent);
    expect(ran.stderr).toContain(`error[WAITING_FOR_THREADS]: thread ${thread} waits as maker for ${other}`);
    await step(agent);
    expect(starts(box)).toBe(1);
    expect(await show(box, thread)).toMatchObject({ held: { for: "threads", threads: [other] } });
    expect(await step(zoo("valid"), other)).toMatchObject({ code: 0 });
    expect(await show(box, thread)).toMatchObject({ held: null });
    await step(agent);
    expect(starts(box)).toBe(2);
  });

  it("runs again when one of them has ended", async () => {
    const other = (await box.json(["thread", "start", "turns", "-p", "Another"])).thread;
    const agent = await waitFor(other, false);
    await step(agent);
    await box.json(["thread", "kill", other]);
    await step(agent);
    expect(starts(box)).toBe(2);
  });

  it("runs again when one that was held is held no longer", async () => {
    const other = (await box.json(["thread", "start", "turns", "-p", "Another"])).thread;
    await box.json(["thread", "pause", other]);
    const agent = await waitFor(other, true);
    await step(agent);
    await step(agent);
    expect(starts(box)).toBe(1);
    await box.json(["thread", "resume", other]);
    await step(agent);
    expect(starts(box)).toBe(2);
  });

  it("is not followed for ever where threads wait for one another", async () => {
    await step(await waitFor(thread, true));
    expect(await show(box, thread)).toMatchObject({ held: { for: "threads" } });
  });
});

describe("an agent built on the kit", () => {
  it("returns what it waits for", async () => {
    const agent = traced("holds", `'${JSON.stringify({ for: "answer", question: "May I?" })}'`);
    const ran = await step(agent);
    expect(ran).toMatchObject({ code: 9, stdout: "" });
    expect(ran.stderr).toContain("waits for an answer as maker: May I?");
    expect(await show(box, thread)).toMatchObject({ held: { for: "answer", question: "May I?" } });
  });

  it("that says it wrongly has failed", async () => {
    const ran = await step(traced("holds", `'${JSON.stringify({ for: "threads" })}'`));
    expect(ran.code).toBe(6);
    expect(ran.stderr).toContain("returned a wait that does not say what for");
  });
});

describe("exit 9 that says nothing of a wait, or waiting.json with another exit code, is a failure", () => {
  it.each([
    ["no JSON", "wait"],
    ["no reason", "{}"],
    ["an unknown reason", '{"for":"rain"}'],
    ["a question that is no text", '{"for":"answer","question":7}'],
    ["a time that is none", '{"for":"answer","until":"tomorrow"}'],
    ["no thread to wait for", '{"for":"threads","threads":[]}'],
    ["a thread without its head", '{"for":"threads","threads":[{"thread":"01KAJ5E8ZJ4N7XK3M9T2V6W8YB"}]}'],
    ["threads that are no list", '{"for":"threads","threads":"01KAJ5E8ZJ4N7XK3M9T2V6W8YB"}'],
    ["more than 64 KiB", JSON.stringify({ for: "answer", question: "x".repeat(70_000) })],
  ])("%s", async (_name, text) => {
    const ran = await step(waiter(box, text));
    expect(ran).toMatchObject({ code: 6, stdout: "" });
    expect(ran.stderr).toContain("error[AGENT_FAILED]");
    expect(existsSync(hold())).toBe(false);
  });

  it.each([
    ["a link to one", 'ln -s "$file"'],
    ["a link to nothing", "ln -s /nowhere"],
    ["a folder", "mkdir"],
    ["a pipe", "mkfifo"],
  ])("%s", async (_name, make) => {
    const file = box.write("real.json", '{"for":"answer"}');
    const agent = box.write(
      "sly.sh",
      `#!/bin/sh\nfile='${file}'\n${make} "$UNCAGED_WORKFLOW_STORAGE_ROOT/runs/$1/$UWF_RUN/waiting.json"\nexit 9\n`,
    );
    chmodSync(agent, 0o755);
    expect(await step(agent)).toMatchObject({ code: 6, stdout: "" });
    expect(existsSync(hold())).toBe(false);
  });

  it("with exit 3", async () => {
    expect(await step(waiter(box, '{"for":"answer"}', 3))).toMatchObject({ code: 6 });
    expect(existsSync(hold())).toBe(false);
  });
});

describe("a hold.json that is damaged stops the step, which says how to mend it", () => {
  const CASES: readonly (readonly [string, () => void])[] = [
    ["torn", () => writeFileSync(hold(), '{"for":"answer","head":"0')],
    ["empty", () => writeFileSync(hold(), "")],
    ["not about a hold", () => writeFileSync(hold(), '{"head":"0123456789ABC"}')],
    ["a folder", () => mkdirSync(hold())],
    ["larger than any", () => writeFileSync(hold(), " ".repeat(2 * 1024 * 1024))],
    ["a link to a file of another kind", () => symlinkSync("/etc/passwd", hold())],
  ];

  it.each(CASES)("%s", async (_name, damage) => {
    await step(waiter(box, '{"for":"answer"}'));
    rmSync(hold());
    damage();
    const ran = await step(waiter(box, '{"for":"answer"}'));
    expect(ran).toMatchObject({ code: 7, stdout: "" });
    expect(ran.stderr).toContain(hold());
    expect(ran.stderr).toContain(`rm ${hold()}`);
    expect(starts(box)).toBe(1);
    expect(await list(box)).toMatchObject([{ thread, error: expect.stringContaining("hold.json") }]);
    rmSync(hold(), { recursive: true });
    expect(await step(zoo("valid"))).toMatchObject({ code: 0 });
  });
});

describe("a thread that a person has paused", () => {
  it("starts no run until it is resumed; both can be repeated", async () => {
    expect(await box.json(["thread", "pause", thread, "-m", "wait for the release"])).toEqual({
      thread,
      paused: true,
      children: [],
      running: null,
    });
    expect(await box.json(["thread", "pause", thread])).toEqual({
      thread,
      paused: true,
      children: [],
      running: null,
    });
    const ran = await step(zoo("valid"));
    expect(ran).toMatchObject({ code: 9, stdout: "" });
    expect(ran.stderr).toContain(`error[THREAD_PAUSED]: thread ${thread} is paused: wait for the release`);
    expect(ran.stderr).toContain(`uwf thread resume ${thread}`);
    expect(await show(box, thread)).toMatchObject({
      held: { for: "resume", role: null, question: "wait for the release" },
    });
    expect(await box.json(["thread", "resume", thread])).toEqual({
      thread,
      paused: false,
      children: [],
      running: null,
    });
    expect(await box.json(["thread", "resume", thread])).toEqual({
      thread,
      paused: false,
      children: [],
      running: null,
    });
    expect(await step(zoo("valid"))).toMatchObject({ code: 0 });
    const events = (await logged(box, thread)).flatMap(({ event }) => event ?? []);
    expect(events).toEqual(["started", "paused", "paused", "resumed", "resumed", "agent"]);
  });

  it("can be killed, and one that has ended can be neither paused nor resumed", async () => {
    await box.json(["thread", "pause", thread]);
    await box.json(["thread", "kill", thread]);
    for (const verb of ["pause", "resume"])
      expect(await box.uwf(["thread", verb, thread])).toMatchObject({ code: 8, stdout: "" });
    expect(existsSync(join(box.root, "runs", thread))).toBe(false);
  });

  it("lets the run under way finish, and its step counts", async () => {
    const { uwf, go } = await startWorking(box, thread);
    await box.json(["thread", "pause", thread]);
    go();
    expect((await ended(uwf)).code).toBe(0);
    expect((await box.json(["thread", "steps", thread])).steps).toHaveLength(2);
    expect(await step(zoo("valid"))).toMatchObject({ code: 9 });
  });

  it("stays paused where pause.json is damaged; resume mends it", async () => {
    await box.json(["thread", "pause", thread]);
    writeFileSync(pauseFile(), "{");
    const ran = await step(zoo("valid"));
    expect(ran).toMatchObject({ code: 7, stdout: "" });
    expect(ran.stderr).toContain(`uwf thread resume ${thread}`);
    await box.json(["thread", "resume", thread]);
    expect(await step(zoo("valid"))).toMatchObject({ code: 0 });
  });
});

describe("notify", () => {
  const notifier = (events: string, script = 'cat >>"$1"') => {
    const file = box.write("notify.sh", `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    mkdirSync(box.root, { recursive: true });
    const config = { notify: { command: file, args: [join(box.cwd, "events")], on: events.split(",") } };
    writeFileSync(join(box.root, "config.yaml"), JSON.stringify(config));
  };
  const events = () => {
    const file = join(box.cwd, "events");
    if (!existsSync(file)) return [];
    return readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  };

  it("is called once for a question, with the command that answers it", async () => {
    notifier("answer");
    const agent = waiter(box, '{"for":"answer","question":"May I?"}');
    await step(agent);
    await step(agent);
    expect(events()).toEqual([
      {
        event: "answer",
        thread,
        workflow: { name: "turns", hash: expect.any(String) },
        head: expect.any(String),
        role: "maker",
        question: "May I?",
        command: `uwf thread answer ${thread} --edit`,
      },
    ]);
  });

  it("is called again as long as it fails; its failure is a warning", async () => {
    notifier("answer", 'echo "no network" >&2; exit 1');
    const agent = waiter(box, '{"for":"answer"}');
    const ran = await step(agent);
    expect(ran.code).toBe(9);
    expect(ran.stderr).toContain("exited with 1: no network");
    notifier("answer");
    await step(agent);
    expect(events()).toHaveLength(1);
    expect(starts(box)).toBe(1);
  });

  it("is called when a thread ends, and for nothing that it is not asked for", async () => {
    notifier("ended,failed");
    await step(waiter(box, '{"for":"answer"}'));
    expect(events()).toEqual([]);
    await step(zoo("valid"));
    await step(zoo("valid"));
    expect(events()).toMatchObject([{ event: "ended", thread, command: `uwf thread read ${thread}` }]);
  });

  it("that cannot be found is a warning", async () => {
    mkdirSync(box.root, { recursive: true });
    writeFileSync(join(box.root, "config.yaml"), "notify: { command: no-such-notifier, on: [answer] }\n");
    const ran = await step(waiter(box, '{"for":"answer"}'));
    expect(ran.code).toBe(9);
    expect(ran.stderr).toContain("no-such-notifier cannot be found");
  });
});
