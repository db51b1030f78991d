import { beforeEach, describe, expect, it } from "vitest";
import { judged, MADE, mockWith } from "../sessions/support.js";
import { startGate } from "../support/gate.js";
import { NO_FALLBACK } from "../support/stuck.js";
import { type Sandbox, sandbox } from "../support/uwf.js";
import { startTurns, TURNS, zoo } from "../support/workflows.js";

// `--events`: docs/agent-protocol.md.

type Event = { readonly event: string } & Readonly<Record<string, unknown>>;

let box: Sandbox;
let thread = "";

beforeEach(async () => {
  box = sandbox();
  thread = await startTurns(box);
});

function scenario(first: object = {}): string {
  return mockWith(box, {
    maker: [{ reply: MADE, ...first }, { reply: MADE }],
    checker: [{ reply: judged(false) }, { reply: judged(true) }],
  });
}

/** Without the times, each of which is there. */
async function events(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const ran = await box.uwf([...args, "--events"], { env });
  const all = ran.stdout.split("\n").filter((line) => line !== "");
  const parsed = all.map((line): Event => JSON.parse(line));
  for (const { timestamp, thread: of } of parsed) {
    expect(timestamp).toBeTypeOf("number");
    expect(of).toBe(thread);
  }
  const rest = parsed.map(({ timestamp: _, thread: __, durationMs: ___, ...event }) => event);
  return { code: ran.code, stderr: ran.stderr, events: rest };
}

const names = (all: readonly { readonly event: string }[]) => all.map(({ event }) => event);

describe("--events", () => {
  it("of thread run tells every step, from the start to the end", async () => {
    const usage = { inputTokens: 1000, outputTokens: 234, costUsd: 0.05 };
    const agent = scenario({ usage, stderr: "Reading\nthe code" });
    const { head, workflow } = await box.json(["thread", "show", thread]);
    const ran = await events(["thread", "run", thread, "--agent", agent]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const { steps } = await box.json(["thread", "steps", thread]);
    const about = (step: number) => ({ step, role: steps[step]?.role, agent: steps[step]?.agent });
    const recorded = (step: number) => ({ event: "step", ...about(step), head: steps[step]?.hash });
    const free = { tokens: null, costUsd: null };
    expect(ran.events).toEqual([
      { event: "started", workflow, head },
      { event: "agent", ...about(1), attempt: 1 },
      { event: "output", step: 1, text: "Reading" },
      { event: "output", step: 1, text: "the code" },
      { ...recorded(1), condition: null, values: {}, next: "checker", tokens: 1234, costUsd: 0.05 },
      { event: "agent", ...about(2), attempt: 1 },
      { ...recorded(2), condition: "rejected", values: { approved: false }, next: "maker", ...free },
      { event: "agent", ...about(3), attempt: 1 },
      { ...recorded(3), condition: null, values: {}, next: "checker", ...free },
      { event: "agent", ...about(4), attempt: 1 },
      { ...recorded(4), condition: null, values: { approved: true }, next: "$END", ...free },
      { event: "ended", head: steps[4]?.hash, reason: "end" },
    ]);
  });

  it("of thread step end with why the thread goes on", async () => {
    const ran = await events(["thread", "step", thread, "--agent", scenario()]);
    expect(ran.code).toBe(0);
    expect(names(ran.events)).toEqual(["started", "agent", "step", "stopped"]);
    const { head } = await box.json(["thread", "show", thread]);
    expect(ran.events.at(-1)).toEqual({ event: "stopped", head, why: "steps" });
  });

  it("count steps within the thread, not within the command", async () => {
    const agent = scenario();
    await events(["thread", "step", thread, "--agent", agent]);
    const ran = await events(["thread", "run", thread, "--max-steps", "2", "--agent", agent]);
    expect(ran.events.filter(({ event }) => event === "step")).toMatchObject([{ step: 2 }, { step: 3 }]);
    expect(ran.events.at(-1)).toMatchObject({ event: "stopped", why: "steps" });
    expect(ran.code).toBe(9);
  });

  it("tell a failure, with its exit code and every run before it", async () => {
    const words = ["thread", "step", thread, "--retries", "1", "--agent", "sh -c 'exit 3'"];
    const ran = await events(words, { UWF_BACKOFF_SECONDS: "0" });
    expect(ran.code).toBe(6);
    expect(ran.events.filter(({ event }) => event === "agent")).toMatchObject([
      { attempt: 1 },
      { attempt: 2 },
    ]);
    expect(ran.events.at(-1)).toMatchObject({
      event: "failed",
      code: "AGENT_FAILED",
      retryable: true,
      exitCode: 6,
      message: expect.stringContaining("exited with 3"),
    });
    expect(ran.stderr).toContain("error[AGENT_FAILED]");
  });

  it("tell that a thread waits, and that one stops where it was to stop", async () => {
    thread = await startGate(box);
    const waits = await events(["thread", "run", thread, "--agent", scenario()]);
    expect(waits.code).toBe(9);
    expect(names(waits.events)).toEqual(["started", "agent", "step", "held"]);
    expect(waits.events.at(-1)).toMatchObject({ code: "WAITING_FOR_ANSWER" });
    const stops = await events(["thread", "run", thread, "--until", "checker"]);
    expect(stops.code).toBe(0);
    expect(stops.events.slice(1)).toMatchObject([{ event: "stopped", why: "until" }]);
  });

  it("tell a step after which no decision leads on, then the failure", async () => {
    await box.json(["workflow", "put", box.write("turns.yaml", NO_FALLBACK)]);
    ({ thread } = await box.json(["thread", "start", "loop", "-p", "x"]));
    const agent = mockWith(box, { maker: [{ reply: MADE }], checker: [{ reply: "---\nscore: a\n---\n" }] });
    const ran = await events(["thread", "run", thread, "--agent", agent]);
    expect(ran.code).toBe(5);
    const code = "NO_TRANSITION";
    expect(ran.events.slice(-3)).toMatchObject([
      { event: "step", role: "checker", next: null, condition: null },
      { event: "stuck", role: "checker", code },
      { event: "failed", code, exitCode: 5 },
    ]);
  });

  it("tell how the thread has ended, and exit 10 where it failed", async () => {
    const failing = TURNS.replace("role: maker, condition: rejected", "role: $FAIL, condition: rejected");
    await box.json(["workflow", "put", box.write("turns.yaml", failing)]);
    ({ thread } = await box.json(["thread", "start", "turns", "-p", "x"]));
    const ran = await events(["thread", "run", thread, "--agent", scenario()]);
    expect(ran.code).toBe(10);
    expect(ran.events.slice(-2)).toMatchObject([
      { event: "step", next: "$FAIL" },
      { event: "ended", reason: "failed" },
    ]);
  });

  it("have no control characters in them, and each is one line", async () => {
    const ran = await box.uwf(["thread", "step", thread, "--events", "--agent", zoo("printsEscapes")]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
    expect(ran.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    for (const line of ran.stdout.trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("event");
  });

  it("of a thread that does not exist are none but the failure", async () => {
    const ran = await box.uwf(["thread", "step", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "--events"]);
    expect(ran.code).toBe(3);
    expect(JSON.parse(ran.stdout)).toMatchObject({ event: "failed", thread: null, exitCode: 3 });
  });

  it("do not go with --quiet, nor with --all", async () => {
    const both = await box.uwf(["thread", "run", thread, "--events", "--quiet"]);
    expect(both).toMatchObject({ code: 2, stdout: "" });
    const all = await box.uwf(["thread", "run", "--all", "--events"]);
    expect(all).toMatchObject({ code: 2, stdout: "" });
  });

  it("end nothing if the reader has gone", async () => {
    const ran = await box.uwf(["thread", "run", thread, "--events", "--agent", scenario()], {
      through: ["sh", "-c", '"$@" | head -1', "sh"],
    });
    expect(ran.stdout.trim().split("\n")).toHaveLength(1);
    expect(await box.json(["thread", "show", thread])).toMatchObject({ done: true });
  });
});

describe("--quiet in a pipe", () => {
  it("leaves the result, warnings and errors", async () => {
    const words = ["thread", "run", thread, "--quiet", "--agent"];
    const ran = await box.uwf([...words, scenario({ stderr: "Reading" })]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(ran.stdout)).toMatchObject({ done: true });
    thread = await startTurns(box, "again");
    const failed = await box.uwf([
      "thread",
      "step",
      thread,
      "--quiet",
      "--agent",
      "sh -c 'echo no >&2; exit 3'",
    ]);
    expect(failed.stderr).toMatch(/^error\[AGENT_FAILED\]: [^\n]*\nhint: [^\n]*\n$/);
  });
});
