import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { PAGE_EXITS } from "../support/pages.js";
import { ended, MOCK, RUNTIMES, reap, type Sandbox, sandbox, until } from "../support/uwf.js";
import { startTurns, zoo } from "../support/workflows.js";
import { killNow, startWorking } from "./support.js";

type Line = Readonly<Record<string, unknown>>;

const log = (box: Sandbox, ...args: readonly string[]) => box.json<readonly Line[]>(["log", ...args]);
const what = (lines: readonly Line[]) => lines.map((line) => line.event ?? line.outcome);
const step = (box: Sandbox, thread: string, behaviour: string) =>
  box.uwf(["thread", "step", thread, "--agent", zoo(behaviour)]);

/** Puts lines into the day file of a time. */
function write(box: Sandbox, day: string, lines: readonly (string | object)[]): void {
  mkdirSync(join(box.root, "logs"), { recursive: true });
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  appendFileSync(join(box.root, "logs", `${day}.jsonl`), texts.map((text) => `${text}\n`).join(""));
}

const at = (time: string, fields: object = {}) => ({
  tag: "4KNMR2PX",
  content: "something",
  timestamp: Date.parse(time),
  ...fields,
});

describe("uwf log", () => {
  it.each(RUNTIMES)(
    "prints a thread's life from start to end, failed runs included (%s)",
    async (runtime) => {
      const box = sandbox(runtime);
      const thread = await startTurns(box);
      await step(box, thread, "exit3");
      await step(box, thread, "valid");
      await step(box, thread, "valid");
      const lines = await log(box, "--thread", thread.slice(0, 20));
      expect(what(lines)).toEqual(["started", "agent", "failed", "agent", "step", "agent", "step", "ended"]);
      expect(lines[2]).toMatchObject({
        time: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/),
        thread,
        role: "maker",
        exitCode: 3,
        stderr: "the model is out of credit\n",
        durationMs: expect.any(Number),
        usage: null,
        code: "AGENT_FAILED",
      });
      expect(lines.at(-1)).toMatchObject({ reason: "end", content: "the thread has ended" });
      expect(lines.map((line) => line.timestamp)).toEqual(lines.map((line) => line.timestamp).sort());
    },
  );

  it("distinguishes abandoned runs, forks and kills", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const { uwf } = await startWorking(box, thread);
    await killNow(uwf);
    const { running, head } = await box.json<{ running: { pid: number }; head: string }>([
      "thread",
      "show",
      thread,
    ]);
    process.kill(-running.pid, "SIGKILL");
    await box.uwf(["thread", "step", thread, "--wait=30", "--agent", zoo("exit3")]);
    const { thread: fork } = await box.json(["thread", "fork", head]);
    await box.json(["thread", "kill", thread]);
    expect(what(await log(box))).toEqual([
      "named",
      "started",
      "agent",
      "abandoned",
      "agent",
      "failed",
      "forked",
      "killed",
    ]);
    expect(what(await log(box, "--thread", fork))).toEqual(["forked"]);
  });

  it("chooses by time, by thread and by number, the newest ones oldest first", async () => {
    const box = sandbox();
    write(box, "2026-01-30", [at("2026-01-30T23:59:59Z", { n: 1 })]);
    write(box, "2026-01-31", [at("2026-01-31T08:00:00Z", { n: 2 }), at("2026-01-31T10:00:00Z", { n: 3 })]);
    write(box, "notes", ["not a day"]);
    const numbers = async (...args: readonly string[]) => (await log(box, ...args)).map(({ n }) => n);
    expect(await numbers()).toEqual([1, 2, 3]);
    expect(await numbers("--since", "2026-01-31")).toEqual([2, 3]);
    expect(await numbers("--since", "2026-01-31T09:00+01:00")).toEqual([2, 3]);
    expect(await numbers("--since", "2026-01-31T08:00:01")).toEqual([3]);
    expect(await numbers("--since", "1s")).toEqual([]);
    expect(await numbers("--limit", "2")).toEqual([2, 3]);
    expect(await numbers("--limit", "2", "--since", "2026-01-31T09:00Z")).toEqual([3]);
    expect(await numbers("--limit", "0")).toEqual([]);
  });

  it("skips foreign lines, and counts them", async () => {
    const box = sandbox();
    write(box, "2026-01-31", [at("2026-01-31T08:00:00Z"), '{"tag":"4KN', "\0\0", at("2026-01-31T08:00:01Z")]);
    const ran = await box.uwf(["log"]);
    expect({ code: ran.code, count: JSON.parse(ran.stdout).length, stderr: ran.stderr }).toEqual({
      code: 0,
      count: 2,
      stderr: "warning: 2 lines of the log left out: torn, or not written by uwf\n",
    });
  });

  it("prints one document as everything else does, in either format, and no terminal codes", async () => {
    const box = sandbox();
    const hostile = "a\u001b[31mb\u009b2Jc\u007f\nd";
    const lines = [
      at("2026-01-31T08:00:00Z", { stderr: hostile, usage: { inputTokens: 1 } }),
      at("2026-01-31T09:00:00Z"),
    ];
    write(box, "2026-01-31", lines);
    const expected = lines.map((line) => ({ time: new Date(line.timestamp).toISOString(), ...line }));
    const json = await box.uwf(["log"]);
    const yaml = await box.uwf(["log", "--format", "yaml"]);
    expect(JSON.parse(json.stdout)).toEqual(expected);
    expect(json.stdout.replaceAll("\\u009b", "\u009b").replaceAll("\\u007f", "\u007f")).toBe(
      `${JSON.stringify(expected, null, 2)}\n`,
    );
    expect(parse(yaml.stdout)).toEqual(expected);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
    const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;
    for (const { stdout } of [json, yaml]) expect(stdout).not.toMatch(controls);
  });

  it("is empty where nothing was logged, and makes nothing", async () => {
    const box = sandbox();
    expect(await log(box)).toEqual([]);
    expect((await box.uwf(["log", "--format", "yaml"])).stdout).toBe("[]\n");
    expect(box.snapshot()).toEqual({});
  });

  it("gives every entry one line, with what was wrong in order", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const scenario = box.write(
      "s.json",
      JSON.stringify({ roles: { maker: [{ reply: "---\nnote: [1\n---" }] } }),
    );
    await box.uwf(["thread", "step", thread, "--agent", `${MOCK} --scenario ${scenario}`]);
    const { stdout } = await box.uwf(["log", "--thread", thread, "--format", "text"]);
    expect(stdout).toMatch(
      / as maker has no valid structured output: [^\n]+; extract by a model: [^\n]+; the raw reply is kept as /,
    );
  });

  it("refuses an invalid time, with examples, and an unknown thread", async () => {
    const box = sandbox();
    for (const since of [
      "yesterday",
      "",
      "5x",
      "-5m",
      "5w",
      "2026-02-30",
      "2026-13-01",
      "2026-01-01T25:00",
      "10:00",
    ]) {
      const ran = await box.uwf(["log", `--since=${since}`]);
      expect({ since, code: ran.code, stdout: ran.stdout }).toEqual({ since, code: 2, stdout: "" });
      expect(ran.stderr).toContain("90s, 15m, 2h, 3d");
    }
    expect((await box.uwf(["log", "--thread", "0123"])).code).toBe(3);
    expect((await box.uwf(["log", "--limit", "-1"])).code).toBe(2);
  });

  it("shows a thread's lines while the index of threads is damaged", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    writeFileSync(join(box.root, "threads.yaml"), "garbage\n");
    const ran = await box.uwf(["log", "--thread", thread]);
    expect(what(JSON.parse(ran.stdout))).toEqual(["started"]);
    expect(ran.stderr).toContain("threads.yaml");
  });
});

describe("uwf log --follow", () => {
  it.each(RUNTIMES)("shows what happens as lines of JSON until it is interrupted (%s)", async (runtime) => {
    const box = sandbox(runtime);
    const thread = await startTurns(box);
    const following = reap(box.start(["log", "--follow"]));
    let seen = "";
    following.stdout?.on("data", (chunk: Buffer) => {
      seen += chunk.toString();
    });
    await until("the past is shown", () => seen.includes('"started"'));
    await step(box, thread, "exit3");
    await until("the failure is shown", () => seen.includes('"failed"'));
    const over = ended(following);
    const [signal, exitCode] = runtime === "node" ? (["SIGHUP", 129] as const) : (["SIGINT", 130] as const);
    following.kill(signal);
    const { code, stderr } = await over;
    expect({ code, stderr }).toEqual({
      code: exitCode,
      stderr: expect.stringContaining("error[INTERRUPTED]"),
    });
    expect(PAGE_EXITS.log).toContain(code);
    const lines = seen
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(what(lines)).toEqual(["named", "started", "agent", "failed"]);
  });

  it("starts with the newest ten, or as many as requested", async () => {
    const box = sandbox();
    write(
      box,
      "2026-01-31",
      Array.from({ length: 30 }, (_, n) => at("2026-01-31T08:00:00Z", { n })),
    );
    for (const [args, first] of [
      [[], 20],
      [["--limit", "3"], 27],
      [["--since", "2026-01-31"], 0],
    ] as const) {
      const following = reap(box.start(["log", "--follow", ...args]));
      let seen = "";
      following.stdout?.on("data", (chunk: Buffer) => {
        seen += chunk.toString();
      });
      await until("the past is shown", () => seen.includes('"n":29'));
      expect(JSON.parse(seen.split("\n")[0] ?? "")).toMatchObject({ n: first });
      await killNow(following);
    }
  });

  it("ends at the next line when its reader has gone", async () => {
    const box = sandbox();
    const thread = await startTurns(box);
    const following = reap(box.start(["log", "--follow"]));
    await new Promise((resolve) => following.stdout?.once("data", resolve));
    const gone = new Promise((resolve) => following.once("exit", resolve));
    following.stdout?.destroy();
    await box.json(["thread", "kill", thread]);
    expect(await gone).toBe(0);
  });

  it("sees a line that was torn and then closed by the next writer", async () => {
    const box = sandbox();
    const today = new Date().toISOString().slice(0, 10);
    write(box, today, [at(`${today}T00:00:00Z`, { n: 1 })]);
    const following = reap(box.start(["log", "--follow"]));
    let seen = "";
    following.stdout?.on("data", (chunk: Buffer) => {
      seen += chunk.toString();
    });
    await until("the past is shown", () => seen.includes('"n":1'));
    appendFileSync(join(box.root, "logs", `${today}.jsonl`), '{"tag":"4KNM');
    write(box, today, ["", at(`${today}T00:00:01Z`, { n: 2 })]);
    await until("the next line is shown", () => seen.includes('"n":2'));
    expect(seen.trimEnd().split("\n")).toHaveLength(2);
  });
});
