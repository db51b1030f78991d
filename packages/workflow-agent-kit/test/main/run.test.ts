import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hash } from "@uncaged/json-cas";
import { expandDetail, readChainNode, readHeads } from "@uncaged/workflow-store";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentContext, AgentDefinition } from "../../src/author.js";
import { runAgent } from "../../src/main/index.js";
import { makeHost, type TestHost } from "../helpers/host.js";
import { addStep, makeThread, REVIEW_META, type TestThread } from "../helpers/thread.js";

const VALID = '---\napproved: true\ncomments: "fine"\n---\n\nLooks good.\n';

let made: TestThread;

beforeEach(async () => {
  made = await makeThread({ reviewer: REVIEW_META });
});

afterEach(() => made.remove());

function agent(run: AgentDefinition["run"]): AgentDefinition {
  return { name: "uwf-test", run };
}

async function play(definition: AgentDefinition, env: Record<string, string> = {}, argv?: readonly string[]) {
  const host = makeHost(argv ?? [made.thread, "reviewer"], made.root, env);
  const code = await runAgent(definition, host);
  return { code, ...host.written, host };
}

/** What an author in plain JavaScript may return. */
function untyped(value: unknown): AgentDefinition["run"] {
  return () => value as never;
}

describe("createAgent", () => {
  it("stores the step of a text reply and prints its hash, and leaves the head alone", async () => {
    const { code, out, err } = await play(agent(() => ({ kind: "text", text: VALID })));
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toMatch(/^[0-9A-F][0-9A-Z]{12}\n$/);
    const step = readChainNode(made.storage.cas, out.trim() as Hash);
    expect(step).toMatchObject({
      ok: true,
      value: {
        kind: "step",
        payload: { start: made.start, prev: null, role: "reviewer", agent: "uwf-test" },
      },
    });
    const heads = await readHeads(made.storage);
    expect(heads.ok && heads.value.get(made.thread)).toBe(made.start);
  });

  it("says by which command uwf has run it, and without uwf what it calls itself", async () => {
    const dir = join(made.root, "runs", made.thread, "token1");
    mkdirSync(dir, { recursive: true });
    const said = async (env: Record<string, string>): Promise<unknown> => {
      const { out } = await play(
        agent(() => ({ kind: "text", text: VALID })),
        env,
      );
      return made.storage.cas.get(out.trim() as Hash)?.payload;
    };
    const UWF_AGENT = "./uwf-test --model small";
    expect(await said({ UWF_RUN: "token1", UWF_AGENT })).toMatchObject({ agent: UWF_AGENT });
    expect(await said({ UWF_RUN: "token1" })).toMatchObject({ agent: "uwf-test" });
    expect(await said({ UWF_AGENT })).toMatchObject({ agent: "uwf-test" });
  });

  it("keeps the output, and the session with every text as a node", async () => {
    const session = {
      sessionId: "s1",
      cwd: "/work",
      model: "m",
      turns: [
        {
          input: "do",
          output: "done",
          toolCalls: [{ name: "sh", arguments: "{}", result: "ok", durationMs: 3.4 }],
          tokens: { input: 5, output: 2 },
          latencyMs: 12,
        },
      ],
      usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7, costUsd: null },
    };
    const { out } = await play(
      agent(({ prompt }) => ({ kind: "text", text: `${VALID}${prompt.length}`, session })),
    );
    const step = readChainNode(made.storage.cas, out.trim() as Hash);
    if (!step.ok || step.value.kind !== "step") throw new Error("no step");
    expect(made.storage.cas.get(step.value.payload.output)?.payload).toEqual({
      approved: true,
      comments: "fine",
    });
    expect(expandDetail(made.storage.cas, step.value.payload.detail)).toMatchObject({
      ok: true,
      value: {
        agent: "uwf-test",
        role: "reviewer",
        sessionId: "s1",
        prompt: { text: expect.stringContaining("# Task") },
        raw: { text: expect.stringContaining("Looks good.") },
        turns: [
          {
            input: { text: "do" },
            output: { text: "done" },
            toolCalls: [{ name: "sh", arguments: { text: "{}" }, result: { text: "ok" }, durationMs: 3 }],
            tokens: { input: 5, output: 2 },
            latencyMs: 12,
          },
        ],
        usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7, costUsd: null },
      },
    });
  });

  it("validates the output of a deterministic program and stores it without an extract", async () => {
    const good = await play(agent(() => ({ kind: "output", value: { approved: false } })));
    expect(good.code).toBe(0);
    const bad = await play(agent(untyped({ kind: "output", value: { approved: "no" } })));
    expect(bad.code).toBe(6);
    expect(bad.out).toBe("");
    expect(bad.err).toContain("/approved: expected boolean");
  });

  it("keeps the result of a program without a session as a text", async () => {
    const detailOf = async (run: AgentDefinition["run"]) => {
      const step = readChainNode(made.storage.cas, (await play(agent(run))).out.trim() as Hash);
      return step.ok && step.value.kind === "step"
        ? made.storage.cas.get(step.value.payload.detail)?.payload
        : null;
    };
    const value = { approved: true };
    expect(await detailOf(() => ({ kind: "output", value }))).toEqual({ text: '{\n  "approved": true\n}' });
    const session = { model: "m" };
    expect(await detailOf(() => ({ kind: "output", value, session }))).toMatchObject({
      model: "m",
      usage: null,
    });
  });

  it("builds on the newest step and shows the history", async () => {
    const output = { approved: false, comments: "tests missing" };
    const first = await addStep(made, made.start, {
      role: "reviewer",
      meta: REVIEW_META,
      output,
      reply: "No tests.",
    });
    let seen: AgentContext | null = null;
    const { out } = await play(
      agent((context) => {
        seen = context;
        expect(context.prompt).toContain("No tests.");
        return { kind: "text", text: VALID };
      }),
      { UWF_HEAD: first },
    );
    expect(seen).toMatchObject({
      role: "reviewer",
      threadId: made.thread,
      steps: [{ role: "reviewer", output }],
    });
    expect(readChainNode(made.storage.cas, out.trim() as Hash)).toMatchObject({
      value: { payload: { prev: first } },
    });
  });

  it("refuses a head that is not the one uwf saw", async () => {
    const { code, err } = await play(
      agent(() => ({ kind: "text", text: VALID })),
      { UWF_HEAD: "0000000000000" },
    );
    expect(code).toBe(75);
    expect(err).toContain("error[HEAD_MOVED]");
  });

  it("names the near role when the role does not exist", async () => {
    const { code, err } = await play(agent(untyped(null)), {}, [made.thread, "reviwer"]);
    expect(code).toBe(4);
    expect(err).toContain('did you mean "reviewer"');
  });

  it("distinguishes an unknown thread, a malformed id and a wrong number of words", async () => {
    const run = agent(untyped(null));
    expect((await play(run, {}, ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "reviewer"])).code).toBe(3);
    expect((await play(run, {}, ["nonsense!", "reviewer"])).code).toBe(2);
    const wrong = await play(run, {}, ["alone"]);
    expect(wrong).toMatchObject({ code: 2, out: "" });
    expect(wrong.err).toContain("usage: uwf-test [arguments] <thread-id> <role>");
  });

  it("answers --help and --version without a thread", async () => {
    const definition = { ...agent(untyped(null)), version: "1.2.3" };
    expect(await play(definition, {}, ["--version"])).toMatchObject({ code: 0, out: "uwf-test 1.2.3\n" });
    expect((await play(definition, {}, ["--help"])).out).toContain("Usage: uwf-test");
  });

  it("hands the words before the thread id to the author", async () => {
    let args: readonly string[] = [];
    const definition = agent((context) => {
      args = context.args;
      return { kind: "text", text: VALID };
    });
    await play(definition, {}, ["--model", "x", made.thread.toLowerCase(), "reviewer"]);
    expect(args).toEqual(["--model", "x"]);
  });

  it("loads .env of the storage root, and variables that are set win", async () => {
    writeFileSync(join(made.root, ".env"), "NEW_ONE=from-file\nSET_ONE=from-file\n", { mode: 0o600 });
    let env: AgentContext["env"] = {};
    const definition = agent((context) => {
      env = context.env;
      return { kind: "text", text: VALID };
    });
    const { host } = await play(definition, { SET_ONE: "from-process" });
    expect(env).toMatchObject({ NEW_ONE: "from-file", SET_ONE: "from-process" });
    expect(host.env.NEW_ONE).toBe("from-file");
  });
});

describe("an author's mistake", () => {
  const mistakes: readonly (readonly [string, unknown, string])[] = [
    ["nothing", undefined, "run returned undefined"],
    ["a bare text", "hello", 'run returned "hello"'],
    ["an object without kind", { text: "x" }, "kind undefined"],
    ["a text that is none", { kind: "text", text: 5 }, "whose text is a value of type number"],
    ["a list as output", { kind: "output", value: [] }, "not an object"],
    ["a failure without a fault", { kind: "failed" }, "without a fault"],
  ];

  for (const [name, returned, words] of mistakes) {
    it(`gives a sentence when run returns ${name}`, async () => {
      const { code, out, err } = await play(agent(untyped(returned)));
      expect({ code, out }).toEqual({ code: 6, out: "" });
      expect(err).toContain(words);
      expect(err).not.toMatch(/^\s+at /m);
    });
  }

  it("gives a sentence when run throws, and the stack only when asked", async () => {
    const broken = agent(() => {
      throw new Error("no such tool");
    });
    const quiet = await play(broken);
    expect(quiet.code).toBe(6);
    expect(quiet.err).toBe(
      'error[AGENT_FAILED]: agent uwf-test threw "no such tool" in run as reviewer\n' +
        "hint: the head has not moved; step again to retry, `uwf log` has the details\n",
    );
    expect((await play(broken, { UWF_DEBUG: "1" })).err).toMatch(/^\s+at /m);
  });

  it("gives a sentence if the definition is invalid", async () => {
    const { code, err } = await play({ name: "", run: untyped(null) });
    expect(code).toBe(1);
    expect(err).toContain("needs a name");
  });

  it("is one JSON object when that is asked for", async () => {
    const { err } = await play(agent(untyped(1)), { UWF_ERROR_FORMAT: "json" });
    expect(JSON.parse(err)).toMatchObject({ code: "AGENT_BAD_RESULT", retryable: true });
  });
});

describe("a reply without a valid header", () => {
  it("fails with every violation, and keeps the reply", async () => {
    const dir = join(made.root, "runs", made.thread, "token1");
    mkdirSync(dir, { recursive: true });
    const text = '---\napproved: "yes"\nother: 1\n---\nDone.';
    const session = { sessionId: "s9" };
    const { code, out, err } = await play(
      agent(() => ({ kind: "text", text, session })),
      { UWF_RUN: "token1" },
    );
    expect({ code, out }).toEqual({ code: 6, out: "" });
    // uwf says it, and says it once.
    expect(err).toBe("");
    const report = JSON.parse(readFileSync(join(dir, "report.json"), "utf8"));
    expect(report).toMatchObject({
      sessionId: "s9",
      usage: null,
      fault: { code: "EXTRACT_FAILED", reason: "bad-result", retryAfter: null, retryable: true },
    });
    const { message } = report.fault;
    expect(message).toContain('/approved: expected boolean, got "yes"');
    expect(message).toContain("there is no config.yaml");
    expect(message).toContain(report.raw);
    expect(made.storage.cas.get(report.raw)?.payload).toEqual({ text });
  });

  it("is logged, with the layer that made up for it", async () => {
    await play(agent(() => ({ kind: "text", text: "words" })));
    const logs = join(made.root, "logs");
    const line = JSON.parse(readFileSync(join(logs, readdirSync(logs)[0] ?? ""), "utf8"));
    expect(line).toMatchObject({ thread: made.thread, agent: "uwf-test", role: "reviewer", by: "nothing" });
  });

  it("keeps and reports the invalid output of a program as well", async () => {
    const dir = join(made.root, "runs", made.thread, "token3");
    mkdirSync(dir, { recursive: true });
    await play(agent(untyped({ kind: "output", value: { approved: 1 } })), { UWF_RUN: "token3" });
    const { raw } = JSON.parse(readFileSync(join(dir, "report.json"), "utf8"));
    expect(made.storage.cas.get(raw)?.payload).toEqual({ text: '{\n  "approved": 1\n}' });
  });

  it("is refused where it is larger than 16 MiB", async () => {
    const text = `${VALID}${"x".repeat(16 * 1024 * 1024)}`;
    const { code, err } = await play(agent(() => ({ kind: "text", text })));
    expect(code).toBe(6);
    expect(err).toMatch(/^error\[AGENT_BAD_RESULT\]: .*the reply is \d+ bytes, the limit is/);
  });

  it("writes a heartbeat, and nothing where uwf made no run", async () => {
    const dir = join(made.root, "runs", made.thread, "token2");
    mkdirSync(dir, { recursive: true });
    await play(
      agent(() => ({ kind: "text", text: VALID })),
      { UWF_RUN: "token2" },
    );
    expect(readFileSync(join(dir, "heartbeat"), "utf8")).toBe("");
    expect(
      (
        await play(
          agent(() => ({ kind: "text", text: VALID })),
          { UWF_RUN: "../../x" },
        )
      ).code,
    ).toBe(0);
  });

  it("has reported its usage to uwf, however it ends", async () => {
    const dir = join(made.root, "runs", made.thread, "token4");
    mkdirSync(dir, { recursive: true });
    const usage = (inputTokens: number) => ({ inputTokens, outputTokens: 1, totalTokens: inputTokens + 1 });
    const reported = () => JSON.parse(readFileSync(join(dir, "report.json"), "utf8"));
    const definition: AgentDefinition = {
      name: "uwf-test",
      run: ({ report }) => {
        report({ sessionId: "s1" });
        expect(reported()).toEqual({
          sessionId: "s1",
          cwd: made.root,
          model: null,
          usage: null,
          extractUsage: null,
          raw: null,
          fault: null,
          words: null,
        });
        report({ sessionId: "s1", usage: { ...usage(10), costUsd: 0.5 }, words: "I look\nat the code\n\n" });
        expect(reported()).toMatchObject({ words: "at the code" });
        return {
          kind: "text",
          text: "no header",
          session: { sessionId: "s1", usage: { ...usage(20), costUsd: 0.5 } },
        };
      },
      continue: (_session, _message, { report }) => {
        report({ usage: { ...usage(5), costUsd: null } });
        expect(reported()).toMatchObject({
          sessionId: "s1",
          usage: { ...usage(25), outputTokens: 2, totalTokens: 27 },
        });
        throw new Error("killed");
      },
    };
    expect((await play(definition, { UWF_RUN: "token4" })).code).toBe(6);
    expect(reported()).toEqual({
      sessionId: "s1",
      cwd: made.root,
      model: null,
      usage: { inputTokens: 25, outputTokens: 2, totalTokens: 27, costUsd: null },
      extractUsage: null,
      raw: expect.any(String),
      fault: expect.objectContaining({ code: "EXTRACT_FAILED" }),
      words: "at the code",
    });
  });

  it("takes no example of the prompt for work, wherever it is echoed, and asks again", async () => {
    const echoes: readonly ((reply: string) => string)[] = [
      (reply) => reply,
      (reply) => `I could not finish. The format is\n\n<example>\n${reply}</example>\n`,
      (reply) => `\`\`\`markdown\n${reply}\`\`\`\n`,
      (reply) => reply.replace("approved: false", "approved: true"),
      (reply) => reply.replaceAll('"', "'"),
    ];
    for (const echo of echoes) {
      const messages: string[] = [];
      const { code } = await play({
        name: "uwf-test",
        run: ({ prompt }) => {
          const [, example = ""] = /<example>\n([\s\S]*?)<\/example>/.exec(prompt) ?? [];
          expect(example).toContain("approved: false");
          return { kind: "text", text: echo(example), session: { sessionId: "s1" } };
        },
        continue: (_session, message) => {
          messages.push(message);
          return { kind: "text", text: VALID, session: { sessionId: "s1" } };
        },
      });
      expect({ code, asked: messages.length }).toEqual({ code: 0, asked: 1 });
      expect(messages[0]).toContain('/comments: "text for comments" is the text of the example');
    }
    const output = { approved: false, comments: "text for comments" };
    expect((await play(agent(() => ({ kind: "output", value: output })))).code).toBe(6);
  });

  it("asks the session again with the exact violations, at most twice", async () => {
    const messages: string[] = [];
    const definition = (answers: readonly string[]): AgentDefinition => ({
      name: "uwf-test",
      run: () => ({ kind: "text", text: "---\ncomments: 1\n---\n", session: { sessionId: "s1" } }),
      continue: (sessionId, message) => {
        messages.push(`${sessionId}: ${message}`);
        return { kind: "text", text: answers[messages.length - 1] ?? "", session: { sessionId: "s2" } };
      },
    });
    const repaired = await play(definition(["still nothing", VALID]));
    expect(repaired.code).toBe(0);
    expect(messages).toHaveLength(2);
    expect(messages[0]).toMatch(/^s1: /);
    expect(messages[0]).toContain("- /comments: expected string, got 1");
    expect(messages[0]).toContain("- /approved: expected boolean, got nothing");
    expect(messages[1]).toContain("s2: ");
    messages.length = 0;
    const failed = await play(definition(["no", "no", VALID]));
    expect(failed.code).toBe(6);
    expect(messages).toHaveLength(2);
  });
});

describe("a signal", () => {
  const waiting = (host: () => TestHost, finish: boolean): AgentDefinition =>
    agent(
      ({ signal }) =>
        new Promise((resolve) => {
          if (finish) signal.addEventListener("abort", () => resolve({ kind: "text", text: VALID }));
          host().interrupt("SIGTERM");
        }),
    );

  it("aborts the run; a result that still comes is a result", async () => {
    const host = makeHost([made.thread, "reviewer"], made.root);
    expect(
      await runAgent(
        waiting(() => host, true),
        host,
      ),
    ).toBe(0);
    expect(host.written.out).not.toBe("");
  });

  it("ends a run that does not care, with the signal's exit code", async () => {
    const host = makeHost([made.thread, "reviewer"], made.root);
    expect(
      await runAgent(
        waiting(() => host, false),
        host,
      ),
    ).toBe(143);
    expect(host.written.err).toContain("error[INTERRUPTED]: interrupted by SIGTERM");
  });
});
