import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeHost } from "../../../workflow-agent-kit/test/helpers/host.js";
import { expandDetail, readChainNode, runAgent } from "../../../workflow-agent-kit/test/helpers/run.js";
import { makeThread, REVIEW_META, type TestThread } from "../../../workflow-agent-kit/test/helpers/thread.js";
import { hermesAgent } from "../../src/index.js";
import { act, captured, type FakeHermes, makeHermes, type Script } from "../helpers.js";

const SESSION = "20261121_101349_a31266";
const VALID = "---\napproved: true\n---\nFine.";

let made: TestThread;

beforeEach(async () => {
  made = await makeThread({ reviewer: REVIEW_META });
});

afterEach(() => made.remove());

type Message = {
  readonly id: number;
  readonly role: string;
  readonly content: string;
  readonly active: number;
};

/** The captured session row with messages and sums of the test. */
function exported(messages: readonly Message[], sums: Record<string, unknown> = {}): string {
  return `${JSON.stringify({ ...JSON.parse(captured("export.jsonl")), ...sums, messages })}\n`;
}

function talk(...texts: readonly string[]): readonly Message[] {
  return texts.map((content, index) => ({
    id: index + 1,
    role: index % 2 === 0 ? "user" : "assistant",
    content,
    active: 1,
  }));
}

async function run(script: Partial<Script>, args: readonly string[] = [], path: string | null = null) {
  const fake = makeHermes(made.root, script);
  const host = makeHost([...args, made.thread, "reviewer"], made.root, {
    PATH: path ?? `${fake.bin}:/usr/bin:/bin`,
  });
  const lines: string[] = [];
  const port = {
    cwd: made.root,
    now: () => 1_795_256_000_000,
    stderr: (line: string) => void lines.push(line),
  };
  const code = await runAgent({ name: "uwf-hermes", ...hermesAgent(port) }, host);
  return { code, ...host.written, fake, shown: lines.join("\n") };
}

function stepOf(out: string) {
  const step = readChainNode(made.storage.cas, out.trim() as never);
  if (!step.ok || step.value.kind !== "step") throw new Error(`no step: ${out}`);
  const detail = expandDetail(made.storage.cas, step.value.payload.detail);
  if (!detail.ok) throw new Error("no detail");
  return { output: made.storage.cas.get(step.value.payload.output)?.payload, detail: detail.value };
}

function chats({ calls }: FakeHermes): readonly (readonly string[])[] {
  return calls().filter(([first, second]) => first === "chat" && second !== "--help");
}

describe("uwf-hermes", () => {
  it("asks hermes once, without questions, and passes extra arguments on", async () => {
    const { code, fake, err } = await run(
      { chat: [act("quiet-tool", 0)], exports: [exported(talk("q", VALID))] },
      ["--model", "x"],
    );
    expect(err).toBe("");
    expect(code).toBe(0);
    const [words] = chats(fake);
    expect(words?.slice(0, 1)).toEqual(["chat"]);
    expect(words?.[1]).toMatch(/^--query=(?:.|\n)*# Deliverable format/);
    expect(words?.slice(2)).toEqual(["--yolo", "--max-turns", "90", "--quiet", "--model", "x"]);
    expect(fake.calls().at(-1)).toEqual(["sessions", "export", "-", `--session-id=${SESSION}`]);
    expect(fake.stdin(0)).toBe("");
  });

  it("takes the text from the session and keeps the trace", async () => {
    const row = JSON.parse(captured("export.jsonl"));
    const last = { ...row.messages[3], content: VALID };
    const messages = [...row.messages.slice(0, 3), last];
    const { out, code } = await run({ chat: [act("quiet-tool", 0)], exports: [exported(messages)] });
    expect(code).toBe(0);
    const { output, detail } = stepOf(out);
    expect(output).toEqual({ approved: true });
    expect(detail).toMatchObject({
      sessionId: SESSION,
      model: "fake-model",
      cwd: "/home/user/project",
      raw: { text: VALID },
      turns: [
        { input: { text: "USE_TOOL please" }, toolCalls: [{ name: "terminal" }] },
        { output: { text: VALID }, toolCalls: [] },
      ],
      usage: { inputTokens: 219, outputTokens: 14, totalTokens: 233, costUsd: null },
    });
  });

  it("falls back to stdout if the session cannot be exported", async () => {
    const chat = {
      ...act("quiet-tool", 0),
      stdout: captured("quiet-tool.stdout").replace(/^Hello.*$/m, VALID),
    };
    const { out, code } = await run({ chat: [chat], exports: ["Session '…' not found.\n"] });
    expect(code).toBe(0);
    expect(stepOf(out).detail).toMatchObject({
      sessionId: SESSION,
      model: null,
      turns: [],
      usage: null,
      raw: { text: chat.stdout.trim() },
    });
    expect(stepOf(out).output).toMatchObject({ approved: true });
  });

  it("reads old versions, which print the session on stdout", async () => {
    const chat = { stdout: `${VALID}\n\nsession_id: ${SESSION}\n`, stderr: "", code: 0 };
    const { out } = await run({ chat: [chat], exports: [""] });
    expect(stepOf(out).detail).toMatchObject({ sessionId: SESSION, raw: { text: chat.stdout.trim() } });
  });

  it("asks for the header again in the same session, and counts the usage of both", async () => {
    const first = exported(talk("q", "no header"), {
      input_tokens: 100,
      cache_read_tokens: 0,
      output_tokens: 10,
    });
    const second = exported(talk("q", "no header", "again", VALID), {
      input_tokens: 150,
      cache_read_tokens: 20,
      output_tokens: 15,
    });
    const { code, fake, out } = await run({
      chat: [act("quiet-tool", 0), act("resume", 0)],
      exports: [first, second],
    });
    expect(code).toBe(0);
    expect(chats(fake)[1]?.slice(0, 2)).toEqual(["chat", `--resume=${SESSION}`]);
    expect(chats(fake)[1]?.[2]).toMatch(/^--query=(?:.|\n)*the reply has no frontmatter/);
    const { detail } = stepOf(out);
    expect(detail).toMatchObject({
      usage: { inputTokens: 170, outputTokens: 15 },
      turns: [{ output: { text: "no header" } }, { input: { text: "again" }, output: { text: VALID } }],
      raw: { text: `no header\n\n${VALID}` },
    });
  });

  it("adds sessions that compression split off during the run, not earlier ones", async () => {
    const child = exported(talk("summary", VALID), { id: "c", parent_session_id: "p" });
    const parent = exported(talk("q", "half"), { id: "p", parent_session_id: "g" });
    const old = exported(talk("x", "y"), { id: "g", started_at: 1 });
    const { out } = await run({ chat: [act("clean", 0)], exports: [child, parent, old] });
    const { detail } = stepOf(out);
    expect(detail).toMatchObject({ usage: { inputTokens: 438, outputTokens: 28 } });
    expect(detail).toMatchObject({ turns: [{ output: { text: "half" } }, { output: { text: VALID } }] });
  });

  it("shows hermes's stderr as it comes", async () => {
    const { code, shown } = await run({
      chat: [{ stdout: VALID, stderr: "working\nsession_id: s\n", code: 0 }],
    });
    expect(code).toBe(0);
    expect(shown).toContain("working");
  });

  it("has failed at the iteration limit, whatever its exit code and summary", async () => {
    const stdout = `⚠️  Reached maximum iterations (90). Requesting summary...\n${VALID}\n`;
    const { code, out, err } = await run({ chat: [{ stdout, stderr: "session_id: s\n", code: 0 }] });
    expect({ code, out }).toEqual({ code: 6, out: "" });
    expect(err).toContain("hermes reached its limit of iterations (--max-turns)");
  });

  it("may mention reaching maximum iterations in its answer", async () => {
    const stdout = `${VALID}\nReached maximum iterations of the loop under test.\n`;
    expect((await run({ chat: [{ stdout, stderr: "session_id: s\n", code: 0 }] })).code).toBe(0);
  });

  it("keeps lines outside of the answer in the raw reply", async () => {
    const stdout = `  ⚠ tirith security scanner enabled but not available\r\n${VALID}\n`;
    const { out } = await run({ chat: [{ stdout, stderr: "session_id: s\n", code: 0 }] });
    expect(stepOf(out).detail).toMatchObject({
      raw: { text: `⚠ tirith security scanner enabled but not available\r\n${VALID}` },
    });
  });
});

/** What a hermes that has `--format stream-json` prints. */
function streamed(result: Record<string, unknown>, ...events: readonly object[]): Partial<Script> {
  const records = [
    { type: "system", subtype: "init", model: "fake-model", session_id: "s-1" },
    ...events,
    { type: "result", session_id: "s-2", exit_code: 0, text: VALID, ...result },
  ];
  const stdout = records.map((record) => `${JSON.stringify({ ...record, timestamp: 1 })}\n`).join("");
  const code = (result.exit_code as number | undefined) ?? 0;
  return { chat: [{ stdout, stderr: "\nsession_id: s-2\n", code }], help: STREAM_HELP };
}

const STREAM_HELP = "  --format {text,stream-json}\n  --query-file PATH|-\n";

describe("a hermes that can stream", () => {
  it("is run with the stream, whose last record has the answer and the session to continue", async () => {
    const tokens = { input: 100, output: 10, total: 130, cache_read: 20, cache_write: 0 };
    const use = { name: "terminal", tool_call_id: "c" };
    const script = streamed(
      { tokens },
      { type: "tool_use", ...use, input: { command: "ls" } },
      { type: "tool_result", ...use, output: "a.ts", duration_ms: 12, is_error: false },
      { type: "text", text: "---\nappro" },
      { type: "text", text: "ved: true\n---\nFine." },
    );
    const { code, fake, out } = await run(script);
    expect(code).toBe(0);
    const [words] = chats(fake);
    expect(words?.slice(2)).toEqual(["--yolo", "--max-turns", "90", "--format", "stream-json"]);
    expect(stepOf(out).detail).toMatchObject({
      sessionId: "s-2",
      model: "fake-model",
      usage: { inputTokens: 120, outputTokens: 10 },
      turns: [
        {
          output: { text: "" },
          toolCalls: [{ name: "terminal", result: { text: "a.ts" }, durationMs: 12 }],
        },
        { input: { text: "a.ts" }, output: { text: VALID } },
      ],
    });
  });

  it("has complete tool results from the session if that is available", async () => {
    const { out } = await run({
      ...streamed({}),
      exports: [exported(talk("q", VALID), { input_tokens: 7, cache_read_tokens: 0, output_tokens: 1 })],
    });
    expect(stepOf(out).detail).toMatchObject({
      turns: [{ input: { text: "q" }, output: { text: VALID } }],
      usage: { inputTokens: 7, outputTokens: 1 },
    });
  });

  it("has failed if its last record says so, whatever its exit code, or if there is none", async () => {
    const failed = await run(streamed({ error: "HTTP 500: fake 500" }));
    expect(failed.code).toBe(6);
    expect(failed.err).toContain("hermes reported an error (HTTP 500: fake 500)");
    const stdout = '{"type":"text","text":"half"}\n';
    made.remove();
    made = await makeThread({ reviewer: REVIEW_META });
    const cut = await run({ chat: [{ stdout, stderr: "", code: 0 }], help: STREAM_HELP });
    expect(cut.err).toContain("hermes ended without a final record");
  });
});

describe("a session of an earlier step", () => {
  const context = (bin: string) => ({
    args: [],
    env: { PATH: `${bin}:/usr/bin:/bin` },
    signal: new AbortController().signal,
    heartbeat: () => {},
    role: "reviewer",
  });

  async function goOn(script: Partial<Script>) {
    const { bin } = makeHermes(made.root, script);
    const port = { cwd: made.root, now: () => 1_795_256_000_000, stderr: () => {} };
    return hermesAgent(port).continue?.(SESSION, "more", context(bin) as never);
  }

  it("is read before it grows, to subtract its earlier usage", async () => {
    const before = exported(talk("q", "a"), { input_tokens: 100, cache_read_tokens: 0, output_tokens: 10 });
    const after = exported(talk("q", "a", "more", VALID), {
      input_tokens: 150,
      cache_read_tokens: 0,
      output_tokens: 15,
    });
    expect(await goOn({ chat: [act("resume", 0)], exports: [before, after] })).toMatchObject({
      kind: "text",
      text: VALID,
      session: { turns: [{ input: "more", output: VALID }], usage: { inputTokens: 50, outputTokens: 5 } },
    });
  });

  it("that no longer exists is reported as lost", async () => {
    const reply = await goOn({ chat: [act("badresume", 1)], exports: ["Session not found.\n"] });
    expect(reply).toMatchObject({ kind: "failed", sessionLost: true });
  });
});

describe("a failing hermes", () => {
  const userOnly = exported(talk("q"));
  const FAILURES: readonly (readonly [string, Partial<Script>, string])[] = [
    [
      "401",
      { chat: [act("fail401", 1)], exports: [userOnly] },
      "hermes exited with 1 (Error: Error code: 401",
    ],
    [
      "500",
      { chat: [act("fail500", 1)], exports: [userOnly] },
      "hermes exited with 1 (API call failed after 3 retries: HTTP 500",
    ],
    [
      "500 with exit 0",
      { chat: [act("fail500", 0)], exports: [userOnly] },
      "hermes reported an error (API call failed",
    ],
    [
      "401 with exit 0",
      { chat: [act("fail401", 0)], exports: [userOnly] },
      "hermes reported an error (Error: Error code",
    ],
    ["an unknown session", { chat: [act("badresume", 1)] }, "(Session not found: 20200101_000000_dead00)"],
    [
      "no answer",
      { chat: [{ stdout: "", stderr: "\nsession_id: s\n", code: 0 }], exports: [userOnly] },
      "hermes gave no answer",
    ],
    [
      "no configuration",
      { chat: [{ stdout: captured("chat-help-0.16.txt"), stderr: "", code: 1 }] },
      "exited with 1 (usage: hermes chat",
    ],
    [
      "an interruption",
      { chat: [{ stdout: "", stderr: "\nsession_id: s\n", code: 130 }] },
      "exited with 130",
    ],
    ["a valid text, but exit 3", { chat: [{ stdout: VALID, stderr: "", code: 3 }] }, "exited with 3"],
  ];

  for (const [name, script, words] of FAILURES) {
    it(`is a failure with its reason: ${name}`, async () => {
      const { code, out, err } = await run(script);
      expect({ code, out }).toEqual({ code: 6, out: "" });
      expect(err).toContain("error[AGENT_FAILED]");
      expect(err).toContain(words);
    });
  }

  it("is distinguished from a missing hermes", async () => {
    const { code, err } = await run({}, [], "/nonexistent");
    expect(code).toBe(4);
    expect(err).toContain("error[AGENT_NOT_FOUND]: agent hermes was not found on PATH (/nonexistent)");
  });
});

describe("a prompt too long for an argument", () => {
  beforeEach(async () => {
    made.remove();
    made = await makeThread({ reviewer: REVIEW_META }, "x".repeat(200_000));
  });

  it("goes through stdin if hermes can read it", async () => {
    const chat = { stdout: VALID, stderr: "", code: 0 };
    const { code, fake } = await run({ chat: [chat], help: "  --query-file PATH|-\n" });
    expect(code).toBe(0);
    expect(fake.calls()[1]).toEqual(["chat", "--query-file", "-", "--yolo", "--max-turns", "90", "--quiet"]);
    expect(fake.stdin(1)).toContain("x".repeat(200_000));
  });

  it("is refused with a sentence if it cannot", async () => {
    const { code, err, fake } = await run({ chat: [{ stdout: VALID, stderr: "", code: 0 }] });
    expect(code).toBe(4);
    expect(err).toContain("cannot read it from stdin (no --query-file");
    expect(chats(fake)).toEqual([]);
  });
});
