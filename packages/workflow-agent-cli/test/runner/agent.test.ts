import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeHost } from "../../../workflow-agent-kit/test/helpers/host.js";
import { expandDetail, readChainNode, runAgent } from "../../../workflow-agent-kit/test/helpers/run.js";
import { makeThread, REVIEW_META, type TestThread } from "../../../workflow-agent-kit/test/helpers/thread.js";
import {
  type Adapter,
  claude,
  codex,
  createCliAgent,
  cursor,
  gemini,
  opencode,
  type Port,
  pi,
} from "../../src/index.js";
import { type Act, lines, makeCli, succeeds } from "../helpers.js";

const VALID = "---\napproved: true\n---\nFine.";
const BARE = "no header";

let made: TestThread;

beforeEach(async () => {
  made = await makeThread({ reviewer: REVIEW_META });
});

afterEach(() => made.remove());

/** A successful run of each CLI, in its own words. */
const SPOKEN: Readonly<Record<string, (text: string) => string>> = {
  claude: (result) =>
    lines(
      { type: "system", subtype: "init", session_id: "s-1", model: "opus" },
      {
        type: "assistant",
        session_id: "s-1",
        message: { id: "m", content: [{ type: "text", text: result }] },
      },
      { type: "result", subtype: "success", is_error: false, result, session_id: "s-1" },
    ),
  codex: (text) =>
    lines(
      { type: "thread.started", thread_id: "s-1" },
      { type: "item.completed", item: { id: "i", type: "agent_message", text } },
      { type: "turn.completed", usage: { input_tokens: 100, output_tokens: 10 } },
    ),
  pi: (text) => {
    const message = { role: "assistant", content: [{ type: "text", text }], stopReason: "stop" };
    return lines(
      { type: "session", id: "s-1" },
      { type: "message_end", message },
      { type: "agent_end", messages: [message] },
    );
  },
  opencode: (text) =>
    lines(
      { type: "step_start", sessionID: "s-1", part: { messageID: "m" } },
      { type: "text", sessionID: "s-1", part: { messageID: "m", text } },
      { type: "step_finish", sessionID: "s-1", part: { messageID: "m", reason: "stop" } },
    ),
  cursor: (text) =>
    lines(
      { type: "system", subtype: "init", session_id: "s-1", model: "auto" },
      { type: "assistant", session_id: "s-1", message: { content: [{ type: "text", text }] } },
      { type: "result", subtype: "success", is_error: false, result: `before${text}`, session_id: "s-1" },
    ),
  gemini: (content) =>
    lines(
      { type: "init", session_id: "s-1", model: "gemini-3" },
      { type: "message", role: "assistant", content, delta: true },
      { type: "result", status: "success", stats: {} },
    ),
};

const ADAPTERS: readonly Adapter[] = [claude, codex, cursor, gemini, opencode, pi];

function spoken({ name }: Adapter, text: string): Act {
  return succeeds(SPOKEN[name]?.(text) ?? "");
}

type Play = {
  readonly acts: readonly Act[];
  readonly args?: readonly string[];
  readonly isRoot?: boolean;
  readonly stays?: boolean;
  readonly path?: string;
};

async function play(adapter: Adapter, { acts, args = [], isRoot = false, stays = false, path }: Play) {
  const cli = makeCli(made.root, adapter.programs[0], acts, stays);
  const host = makeHost([...args, made.thread, "reviewer"], made.root, {
    PATH: path ?? `${cli.bin}:/usr/bin:/bin`,
  });
  const shown: string[] = [];
  const port: Port = {
    cwd: made.root,
    stderr: (line) => void shown.push(line),
    isRoot,
    graceMs: 100,
    lingerMs: 0,
    time: Date.now,
    now: () => 0,
  };
  const code = await runAgent(createCliAgent(adapter, port), host);
  return { code, ...host.written, cli, shown };
}

function detailOf(out: string) {
  const step = readChainNode(made.storage.cas, out.trim() as never);
  if (!step.ok || step.value.kind !== "step") throw new Error(`no step: ${out}`);
  const detail = expandDetail(made.storage.cas, step.value.payload.detail);
  if (!detail.ok) throw new Error("no detail");
  return detail.value;
}

describe("an agent that is a CLI", () => {
  for (const adapter of ADAPTERS) {
    it(`records what ${adapter.name} answered, and asks for the header again in the same session`, async () => {
      const acts = [spoken(adapter, BARE), spoken(adapter, VALID)];
      const { code, cli, err, out } = await play(adapter, { acts });
      expect({ code, err }).toEqual({ code: 0, err: "" });
      const [first, second] = cli.calls();
      expect(first?.join(" ")).not.toContain("s-1");
      expect(second?.join(" ")).toMatch(/(?:--resume=|--session=|--session |resume -- )s-1\b/);
      expect(detailOf(out)).toMatchObject({
        agent: `uwf-${adapter.name}`,
        sessionId: "s-1",
        cwd: made.root,
        raw: { text: `${BARE}\n\n${VALID}` },
        turns: [{ output: { text: BARE } }, { output: { text: VALID } }],
      });
    });
  }

  it("asks again for a reply whose bytes are not UTF-8, and takes one in which U+FFFD was written", async () => {
    const [before, after] = `${VALID} Caf\ufffd.`.split("\ufffd");
    const whole = SPOKEN.claude?.(`${before}\u0001${after}`) ?? "";
    const bytes = Buffer.from(whole.replaceAll("\\u0001", "\u0001")).map((byte) =>
      byte === 1 ? 0xe9 : byte,
    );
    const latin = await play(claude, { acts: [succeeds(bytes), spoken(claude, VALID)] });
    expect(latin.code).toBe(0);
    expect(latin.cli.stdin(1)).toContain("the reply has bytes that are not UTF-8");
    made.remove();
    made = await makeThread({ reviewer: REVIEW_META });
    const never = await play(claude, { acts: [succeeds(bytes)] });
    expect(never.code).toBe(6);
    expect(never.err).toContain("the reply has bytes that are not UTF-8");
    made.remove();
    made = await makeThread({ reviewer: REVIEW_META });
    const written = await play(claude, { acts: [spoken(claude, `${VALID} Caf\ufffd.`)] });
    expect(written.cli.calls()).toHaveLength(1);
    expect(written.code).toBe(0);
  });

  it("passes a prompt of any length through stdin, and closes it", async () => {
    made.remove();
    made = await makeThread({ reviewer: REVIEW_META }, "x".repeat(200_000));
    for (const adapter of ADAPTERS) {
      const { cli, code } = await play(adapter, { acts: [spoken(adapter, VALID)] });
      expect(code).toBe(0);
      expect(cli.stdin(0)).toContain("x".repeat(200_000));
      made.remove();
      made = await makeThread({ reviewer: REVIEW_META }, "x".repeat(200_000));
    }
  });

  it("passes the user's arguments on, and omits defaults that they set", async () => {
    const words: readonly (readonly [Adapter, readonly string[], readonly string[]])[] = [
      [
        claude,
        ["--permission-mode", "plan"],
        ["-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "plan"],
      ],
      [codex, ["-s", "read-only"], ["exec", "--json", "--skip-git-repo-check", "-s", "read-only", "-"]],
      [pi, ["--model", "x"], ["-p", "--mode", "json", "--model", "x"]],
      [opencode, ["-m", "p/x"], ["run", "--format", "json", "--auto", "-m", "p/x"]],
      [gemini, ["--approval-mode=plan"], ["--output-format", "stream-json", "--approval-mode=plan"]],
    ];
    for (const [adapter, args, expected] of words) {
      const { cli } = await play(adapter, { acts: [spoken(adapter, VALID)], args });
      expect(cli.calls()[0]).toEqual(expected);
      made.remove();
      made = await makeThread({ reviewer: REVIEW_META });
    }
  });

  it("gives claude a list of tools instead of all permissions as root", async () => {
    const { cli } = await play(claude, { acts: [spoken(claude, VALID)], isRoot: true });
    const [words] = cli.calls();
    expect(words).toContain("--allowedTools");
    expect(words).toContain("acceptEdits");
    expect(words).not.toContain("bypassPermissions");
  });

  it("counts for codex only what this run added to its session", async () => {
    const later = SPOKEN.codex?.(VALID).replace('"input_tokens":100', '"input_tokens":260') ?? "";
    const acts = [spoken(codex, BARE), succeeds(later.replace('"output_tokens":10', '"output_tokens":15'))];
    const { out } = await play(codex, { acts });
    expect(detailOf(out)).toMatchObject({ usage: { inputTokens: 260, outputTokens: 15, totalTokens: 275 } });
  });

  it("shows stderr as it comes", async () => {
    const { shown } = await play(pi, { acts: [{ ...spoken(pi, VALID), stderr: "working\n" }] });
    expect(shown).toEqual(["working"]);
  });

  it("takes the result of a program that has printed it and does not exit", async () => {
    const { code, out } = await play(claude, { acts: [spoken(claude, VALID)], stays: true });
    expect(code).toBe(0);
    expect(detailOf(out)).toMatchObject({ raw: { text: VALID } });
  });
});

describe("less visible output of a CLI", () => {
  it("is the model that gemini chose by itself", async () => {
    const stats = { models: { "gemini-lite": { total_tokens: 9 }, "gemini-pro": { total_tokens: 900 } } };
    const stdout = lines(
      { type: "init", session_id: "s-1", model: "auto" },
      { type: "message", role: "assistant", content: VALID, delta: true },
      { type: "result", status: "success", stats },
    );
    const { out } = await play(gemini, { acts: [succeeds(stdout)] });
    expect(detailOf(out)).toMatchObject({ model: "gemini-pro" });
  });

  it("keeps claude's denied calls with their refusal, reported before or not", async () => {
    const stdout = lines(
      { type: "system", subtype: "init", session_id: "s-1", model: "m" },
      {
        type: "assistant",
        session_id: "s-1",
        message: {
          id: "m1",
          content: [
            { type: "tool_use", id: "t1", name: "Bash", input: { command: "rm -r build" } },
            { type: "text", text: VALID },
          ],
        },
      },
      {
        type: "result",
        subtype: "success",
        is_error: false,
        result: VALID,
        session_id: "s-1",
        permission_denials: [
          { tool_name: "Bash", tool_use_id: "t1", tool_input: { command: "rm -r build" } },
          { tool_name: "WebFetch", tool_use_id: "t2", tool_input: { url: "http://127.0.0.1/" } },
        ],
      },
    );
    const { out } = await play(claude, { acts: [succeeds(stdout)] });
    expect(detailOf(out)).toMatchObject({
      turns: [
        {
          toolCalls: [
            { name: "Bash", result: { text: "refused: no permission" } },
            {
              name: "WebFetch",
              arguments: { text: '{"url":"http://127.0.0.1/"}' },
              result: { text: "refused: no permission" },
            },
          ],
        },
      ],
    });
  });

  it("is cursor's answer without the text before it, and its tools", async () => {
    const call = { readToolCall: { args: { path: "a.ts" } } };
    const done = { readToolCall: { args: { path: "a.ts" }, result: { success: { content: "x" } } } };
    const say = (text: string) => ({
      type: "assistant",
      session_id: "s-1",
      message: { content: [{ type: "text", text }] },
    });
    const stdout = lines(
      say("Let me look."),
      { type: "tool_call", subtype: "started", call_id: "c", tool_call: call, session_id: "s-1" },
      { type: "tool_call", subtype: "completed", call_id: "c", tool_call: done, session_id: "s-1" },
      say(VALID),
      {
        type: "result",
        subtype: "success",
        is_error: false,
        result: `Let me look.${VALID}`,
        session_id: "s-1",
      },
    );
    const { out } = await play(cursor, { acts: [succeeds(stdout)] });
    expect(detailOf(out)).toMatchObject({
      raw: { text: VALID },
      usage: null,
      turns: [
        {
          output: { text: "Let me look." },
          toolCalls: [
            {
              name: "read",
              arguments: { text: '{"path":"a.ts"}' },
              result: { text: '{"success":{"content":"x"}}' },
            },
          ],
        },
        { output: { text: VALID } },
      ],
    });
  });

  it("is the prompts and calls of claude's subagents, in separate turns", async () => {
    const message = (id: string, ...content: readonly object[]) => ({
      type: "assistant",
      message: { id, content },
    });
    const user = (...content: readonly object[]) => ({ type: "user", message: { role: "user", content } });
    const stdout = lines(
      message("m1", { type: "tool_use", id: "t1", name: "Task", input: { prompt: "look" } }),
      user({ type: "text", text: "look" }),
      message("m2", { type: "tool_use", id: "t2", name: "Read", input: {} }),
      user({ type: "tool_result", tool_use_id: "t2", content: [{ type: "text", text: "a file" }] }),
      message("m3", { type: "text", text: "found it" }),
      user({ type: "tool_result", tool_use_id: "t1", content: "found it" }),
      message("m4", { type: "text", text: VALID }),
      { type: "result", subtype: "success", is_error: false, result: VALID, session_id: "s-1" },
    );
    const { out } = await play(claude, { acts: [succeeds(stdout)] });
    expect(detailOf(out)).toMatchObject({
      turns: [
        { toolCalls: [{ name: "Task", result: { text: "found it" } }] },
        { input: { text: "look" }, toolCalls: [{ name: "Read", result: { text: "a file" } }] },
        { input: { text: "a file" }, output: { text: "found it" } },
        { input: { text: "found it" }, output: { text: VALID } },
      ],
    });
  });

  it("is a failure that the CLI recovered from: it does not count", async () => {
    const message = { role: "assistant", content: [{ type: "text", text: VALID }], stopReason: "stop" };
    const broken = { role: "assistant", content: [], stopReason: "error", errorMessage: "500" };
    const stdout = lines(
      { type: "session", id: "s-1" },
      { type: "message_end", message: broken },
      { type: "agent_end", messages: [broken] },
      { type: "auto_retry_start", attempt: 1, errorMessage: "500" },
      { type: "message_end", message },
      { type: "agent_end", messages: [message] },
    );
    const { code } = await play(pi, { acts: [succeeds(stdout)] });
    expect(code).toBe(0);
  });
});

describe("a CLI that fails", () => {
  it("is distinguished from one that is not installed", async () => {
    const { code, err } = await play(cursor, { acts: [], path: "/nonexistent" });
    expect(code).toBe(4);
    expect(err).toContain("error[AGENT_NOT_FOUND]: agent cursor-agent was not found on PATH (/nonexistent)");
  });

  it("has failed when it exits with 0 in the middle of its work", async () => {
    const [line = ""] = (SPOKEN.opencode?.(VALID) ?? "").split("\n");
    const { code, err } = await play(opencode, { acts: [succeeds(`${line}\n`)] });
    expect(code).toBe(6);
    expect(err).toContain("opencode ended without a final record");
  });

  it("has failed when it says success and gives no text", async () => {
    const { err } = await play(claude, { acts: [spoken(claude, " \n")] });
    expect(err).toContain("claude gave no answer");
  });

  it("has failed when it says success and exits with another code than 0", async () => {
    const { err } = await play(gemini, {
      acts: [{ ...spoken(gemini, VALID), code: 3, stderr: "Error: no\n" }],
    });
    expect(err).toContain("gemini exited with 3 (Error: no)");
  });

  it("is not affected by noise", async () => {
    const noise = 'warning: x\n{"type":"unheard-of"}\n{broken\n[1]\n';
    const act = spoken(claude, VALID);
    const { code } = await play(claude, { acts: [{ ...act, stdout: noise + act.stdout + noise }] });
    expect(code).toBe(0);
  });
});
