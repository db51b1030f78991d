import { createCliAgent } from "@uncaged/workflow-agent-cli";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeHost } from "../../../workflow-agent-kit/test/helpers/host.js";
import { expandDetail, readChainNode, runAgent } from "../../../workflow-agent-kit/test/helpers/run.js";
import { makeThread, REVIEW_META, type TestThread } from "../../../workflow-agent-kit/test/helpers/thread.js";
import { hermes } from "../../src/index.js";
import { captured, type FakeHermes, makeHermes, type Script, SESSION, streamed } from "../helpers.js";

const BARE = "no header";
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
  const code = await runAgent(
    createCliAgent(
      hermes,
      portOf((line) => void lines.push(line)),
    ),
    host,
  );
  return { code, ...host.written, fake, shown: lines.join("\n") };
}

function portOf(stderr: (line: string) => void) {
  const times = {
    graceMs: 2000,
    lingerMs: 30_000,
    now: () => performance.now(),
    time: () => 1_795_256_000_000,
  };
  return { cwd: made.root, stderr, isRoot: false, ...times };
}

function stepOf(out: string) {
  const step = readChainNode(made.storage.cas, out.trim() as never);
  if (!step.ok || step.value.kind !== "step") throw new Error(`no step: ${out}`);
  const detail = expandDetail(made.storage.cas, step.value.payload.detail);
  if (!detail.ok) throw new Error("no detail");
  return { output: made.storage.cas.get(step.value.payload.output)?.payload, detail: detail.value };
}

function chats({ calls }: FakeHermes): readonly (readonly string[])[] {
  return calls().filter(([first]) => first === "chat");
}

describe("uwf-hermes", () => {
  it("asks hermes once, without questions, and passes extra arguments on", async () => {
    const { code, fake, err } = await run(
      { chat: [streamed({ text: VALID })], exports: [exported(talk("q", VALID))] },
      ["--model", "x"],
    );
    expect(err).toBe("");
    expect(code).toBe(0);
    const [words] = chats(fake);
    expect(words?.slice(0, 1)).toEqual(["chat"]);
    expect(words?.[1]).toMatch(/^--query=(?:.|\n)*# Deliverable format/);
    expect(words?.slice(2)).toEqual([
      ...["--yolo", "--max-turns", "90", "--format", "stream-json", "--model", "x"],
    ]);
    expect(fake.calls()).toHaveLength(2);
    expect(fake.calls().at(-1)).toEqual(["sessions", "export", "-", `--session-id=${SESSION}`]);
    expect(fake.stdin(0)).toBe("");
  });

  it("takes answer and session from the last record, and the rest from the events", async () => {
    const tokens = { input: 100, output: 10, total: 130, cache_read: 20, cache_write: 0 };
    const use = { name: "terminal", tool_call_id: "c" };
    const chat = streamed(
      { tokens, text: VALID },
      { type: "tool_use", ...use, input: { command: "ls" } },
      { type: "tool_result", ...use, output: "a.ts", duration_ms: 12, is_error: false },
      { type: "text", text: "---\nappro" },
      { type: "text", text: "ved: true\n---\nFine." },
    );
    const { code, out } = await run({ chat: [chat] });
    expect(code).toBe(0);
    expect(stepOf(out).output).toEqual({ approved: true });
    expect(stepOf(out).detail).toMatchObject({
      sessionId: SESSION,
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

  it("has complete tool results and sums from the session that hermes keeps", async () => {
    const row = JSON.parse(captured("export.jsonl"));
    const messages = [...row.messages.slice(0, 3), { ...row.messages[3], content: VALID }];
    const { out, code } = await run({ chat: [streamed({ text: VALID })], exports: [exported(messages)] });
    expect(code).toBe(0);
    expect(stepOf(out).detail).toMatchObject({
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

  it("asks for the header again in the same session, and counts the usage of both", async () => {
    const first = exported(talk("q", BARE), { input_tokens: 100, cache_read_tokens: 0, output_tokens: 10 });
    const both = talk("q", BARE, "again", VALID);
    const second = exported(both, { input_tokens: 150, cache_read_tokens: 20, output_tokens: 15 });
    const { code, fake, out } = await run({
      chat: [streamed({ text: BARE }), streamed({ text: VALID })],
      exports: [first, first, second],
    });
    expect(code).toBe(0);
    expect(chats(fake)[1]?.slice(0, 2)).toEqual(["chat", `--resume=${SESSION}`]);
    expect(chats(fake)[1]?.[2]).toMatch(/^--query=(?:.|\n)*the reply has no frontmatter/);
    const { detail } = stepOf(out);
    expect(detail).toMatchObject({
      usage: { inputTokens: 170, outputTokens: 15 },
      turns: [{ output: { text: BARE } }, { input: { text: "again" }, output: { text: VALID } }],
      raw: { text: `${BARE}\n\n${VALID}` },
    });
  });

  it("adds sessions that compression split off during the run, not earlier ones", async () => {
    const child = exported(talk("summary", VALID), { id: "c", parent_session_id: "p" });
    const parent = exported(talk("q", "half"), { id: "p", parent_session_id: "g" });
    const old = exported(talk("x", "y"), { id: "g", started_at: 1 });
    const { out } = await run({ chat: [streamed({ text: VALID })], exports: [child, parent, old] });
    const { detail } = stepOf(out);
    expect(detail).toMatchObject({ usage: { inputTokens: 438, outputTokens: 28 } });
    expect(detail).toMatchObject({ turns: [{ output: { text: "half" } }, { output: { text: VALID } }] });
  });

  it("shows hermes's stderr as it comes", async () => {
    const { code, shown } = await run({ chat: [{ ...streamed({ text: VALID }), stderr: "working\n" }] });
    expect(code).toBe(0);
    expect(shown).toContain("working");
  });

  it("has failed at the iteration limit, whatever its exit code and summary", async () => {
    const stderr = "⚠️  Reached maximum iterations (90). Requesting summary...\nsession_id: s\n";
    const { code, out, err } = await run({ chat: [{ ...streamed({ text: VALID }), stderr }] });
    expect({ code, out }).toEqual({ code: 6, out: "" });
    expect(err).toContain("hermes reached its limit of iterations (--max-turns)");
  });

  it("may mention reaching maximum iterations in its answer", async () => {
    const text = `${VALID}\nReached maximum iterations of the loop under test.\n`;
    expect((await run({ chat: [streamed({ text })] })).code).toBe(0);
  });
});

describe("a session of an earlier step", () => {
  const context = (bin: string) => ({
    args: [],
    env: { PATH: `${bin}:/usr/bin:/bin` },
    signal: new AbortController().signal,
    heartbeat: () => {},
    report: () => {},
    sessionUsage: async () => null,
    role: "reviewer",
  });

  async function goOn(script: Partial<Script>) {
    const { bin } = makeHermes(made.root, script);
    const agent = createCliAgent(
      hermes,
      portOf(() => {}),
    );
    return agent.continue?.(SESSION, "more", context(bin) as never);
  }

  it("is read before it grows, to subtract its earlier usage", async () => {
    const before = exported(talk("q", "a"), { input_tokens: 100, cache_read_tokens: 0, output_tokens: 10 });
    const after = exported(talk("q", "a", "more", VALID), {
      input_tokens: 150,
      cache_read_tokens: 0,
      output_tokens: 15,
    });
    expect(await goOn({ chat: [streamed({ text: VALID })], exports: [before, after] })).toMatchObject({
      kind: "text",
      text: VALID,
      session: { turns: [{ input: "more", output: VALID }], usage: { inputTokens: 50, outputTokens: 5 } },
    });
  });

  it("has an unknown usage if it cannot be read", async () => {
    const tokens = { input: 100, output: 10 };
    const reply = await goOn({
      chat: [streamed({ text: VALID, tokens })],
      exports: ["Session not found.\n"],
    });
    expect(reply).toMatchObject({ kind: "text", session: { usage: null } });
  });

  it("that no longer exists is reported as lost", async () => {
    const chat = { stdout: "", stderr: captured("badresume.stderr"), code: 1 };
    const reply = await goOn({ chat: [chat], exports: ["Session not found.\n"] });
    expect(reply).toMatchObject({
      kind: "failed",
      sessionLost: true,
      fault: { outcome: "exited with 1 (Session not found: 20200101_000000_dead00)" },
    });
  });
});

describe("a failing hermes", () => {
  const plain = (stderr: string, code: number) => ({ stdout: "", stderr, code });
  const FAILURES: readonly (readonly [string, Script["chat"][number], string])[] = [
    [
      "an error in the last record",
      streamed({ error: "HTTP 500: fake 500", exit_code: 1 }),
      "hermes exited with 1 (HTTP 500: fake 500",
    ],
    [
      "an error with exit 0",
      { ...streamed({ error: "HTTP 500: fake 500" }), code: 0 },
      "hermes reported an error (HTTP 500",
    ],
    [
      "no last record",
      { stdout: '{"type":"text","text":"half"}\n', stderr: "", code: 0 },
      "hermes ended without a final record",
    ],
    ["no answer", streamed({ text: "" }), "hermes gave no answer"],
    [
      "a line on stderr",
      plain("\nsession_id: s\nError: Error code: 401 - no\n", 1),
      "exited with 1 (Error: Error code: 401",
    ],
    [
      "a version that cannot stream",
      plain("usage: hermes chat …\nhermes chat: error: unrecognized arguments: --format stream-json\n", 2),
      "update hermes",
    ],
    ["an interruption", plain("\nsession_id: s\n", 130), "exited with 130"],
    ["a valid text, but exit 3", { ...streamed({ text: VALID }), code: 3 }, "exited with 3"],
  ];

  for (const [name, chat, words] of FAILURES) {
    it(`is a failure with its reason: ${name}`, async () => {
      const { code, out, err } = await run({ chat: [chat], exports: [exported(talk("q"))] });
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
  it("goes through stdin", async () => {
    made.remove();
    made = await makeThread({ reviewer: REVIEW_META }, "x".repeat(200_000));
    const { code, fake } = await run({ chat: [streamed({ text: VALID })] });
    expect(code).toBe(0);
    expect(chats(fake)[0]?.slice(0, 3)).toEqual(["chat", "--query-file", "-"]);
    expect(fake.stdin(0)).toContain("x".repeat(200_000));
  });
});
