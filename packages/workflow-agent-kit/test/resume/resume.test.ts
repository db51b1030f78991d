import { appendFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { addThread } from "@uncaged/workflow-store";
import { newThreadId } from "@uncaged/workflow-util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentDefinition, AgentReply } from "../../src/author.js";
import { runAgent } from "../../src/main/index.js";
import { makeHost } from "../helpers/host.js";
import { detailOf, makeStage, playIn, type Stage, sessionAgent, VALID } from "./support.js";

const LOST: AgentReply = {
  kind: "failed",
  sessionLost: true,
  fault: {
    code: "AGENT_FAILED",
    command: "x",
    role: "developer",
    outcome: "knows no session s-1",
    stderr: "",
  },
};

let stage: Stage;

beforeEach(async () => {
  stage = await makeStage();
});

afterEach(() => stage.remove());

const reviewer = (text: string) => ({
  name: "uwf-other",
  run: (): AgentReply => ({ kind: "text", text: `${VALID}${text}` }),
});

function logs(): string {
  const dir = join(stage.root, "logs");
  try {
    return readdirSync(dir)
      .map((day) => readFileSync(join(dir, day), "utf8"))
      .join("");
  } catch {
    return "";
  }
}

/** A line of uwf's log about a run that failed. */
function fail(more: object): void {
  const facts = { role: "developer", agent: "/usr/bin/uwf-test", sessionId: "s-1", cwd: stage.root };
  const line = {
    ...{ tag: "B8RC5WNE", content: "the agent took too long\nand more", timestamp: Date.now() + 1000 },
    ...{
      thread: stage.thread,
      outcome: "failed",
      code: "AGENT_TIMEOUT",
      reason: "timeout",
      ...facts,
      ...more,
    },
  };
  const day = new Date(line.timestamp).toISOString().slice(0, 10);
  mkdirSync(join(stage.root, "logs"), { recursive: true });
  appendFileSync(join(stage.root, "logs", `${day}.jsonl`), `${JSON.stringify(line)}\n`);
}

describe("a step whose last run has failed in a session", () => {
  it("continues it with the complete prompt and how that attempt ended", async () => {
    const { definition, calls } = sessionAgent();
    fail({ head: stage.start });
    const { code, err, hash } = await stage.play(definition, "developer");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(calls).toMatchObject([{ session: "s-1" }]);
    const message = calls[0]?.message ?? "";
    expect(message).toContain("Read, then judge.");
    expect(message).toContain('<attempt reason="timeout">\nthe agent took too long\n</attempt>');
    expect(detailOf(stage.storage, hash)).toMatchObject({ sessionId: "s-1", prompt: { text: message } });
  });

  it("learns so in the session of the last visit too, with what has happened since", async () => {
    const { definition, calls } = sessionAgent();
    await stage.play(definition, "developer");
    const { hash } = await stage.play(reviewer("Tests are missing."), "reviewer");
    fail({ head: hash });
    await stage.play(definition, "developer");
    expect(calls[1]?.session).toBe("s-1");
    expect(calls[1]?.message).toContain("Tests are missing.");
    expect(calls[1]?.message).toContain("the agent took too long");
    expect(calls[1]?.message).not.toContain("Read, then judge.");
  });

  it("goes on in the session of the last failed run, whatever session the last visit had", async () => {
    const { definition, calls } = sessionAgent();
    await stage.play(definition, "developer");
    fail({ head: await stage.headNow(), sessionId: "s-2" });
    await stage.play(definition, "developer");
    expect(calls[1]).toMatchObject({ session: "s-2", message: expect.stringContaining("Reply 1.") });
  });

  it.each([
    ["of another program", { agent: "/usr/bin/uwf-other" }],
    ["of another role", { role: "reviewer" }],
    ["of another step", { head: "48PJ12JC509YP" }],
    ["of a folder that nobody knows", { cwd: null }],
    ["without a session", { sessionId: null }],
  ])("starts a new session after a run %s", async (_what, more) => {
    const { definition, calls } = sessionAgent();
    fail({ head: stage.start, ...more });
    expect((await stage.play(definition, "developer")).err).toBe("");
    expect(calls).toMatchObject([{ session: null, message: expect.not.stringContaining("took too long") }]);
  });

  it.each([
    ["in another folder", { cwd: "/elsewhere" }, "it belongs to the folder /elsewhere"],
    ["whose session is too long", { reason: "context-overflow" }, "it has grown too long for its model"],
  ])("starts a new session after a run %s, and says so", async (_what, more, reason) => {
    const { definition, calls } = sessionAgent();
    fail({ head: stage.start, ...more });
    const { err } = await stage.play(definition, "developer");
    expect(err).toContain(`session s-1 was not continued: ${reason}`);
    expect(calls).toMatchObject([{ session: null }]);
  });

  it.each([
    ["what the failed run told", { inputTokens: 5, outputTokens: 2, totalTokens: 7, costUsd: null }],
    ["nothing where that run told nothing: it shows in the next total", null],
  ])("can take off %s", async (_what, usage) => {
    const { definition } = sessionAgent();
    fail({ head: stage.start, usage });
    const before: unknown[] = [];
    const counting: AgentDefinition = {
      ...definition,
      continue: async (sessionId, _message, context) => {
        before.push(await context.sessionUsage(sessionId), await context.sessionUsage("s-9"));
        return { kind: "text", text: VALID };
      },
    };
    await stage.play(counting, "developer");
    expect(before).toEqual([usage ?? { inputTokens: 0, outputTokens: 0, totalTokens: 0, costUsd: 0 }, null]);
  });

  it("starts a new session if that one is lost", async () => {
    const { definition, calls } = sessionAgent({ onContinue: () => LOST });
    fail({ head: stage.start });
    const { code, err } = await stage.play(definition, "developer");
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("s-1 was not continued") });
    expect(calls.map(({ session }) => session)).toEqual(["s-1", null]);
  });
});

describe("a role that is visited again", () => {
  it("goes on in its agent's session, with what has happened since", async () => {
    const { definition, calls } = sessionAgent();
    await stage.play(reviewer("Before."), "reviewer");
    await stage.play(definition, "developer");
    await stage.play(reviewer("Tests are missing."), "reviewer");
    const again = await stage.play(definition, "developer");
    expect({ code: again.code, err: again.err }).toEqual({ code: 0, err: "" });
    expect(calls.map(({ session }) => session)).toEqual([null, "s-1"]);
    const second = calls[1]?.message ?? "";
    expect(second).toContain("Tests are missing.");
    expect(second).not.toContain("Reply 1.");
    expect(second).not.toContain("Before.");
    expect(second).not.toContain("Read, then judge.");
    expect(second).toContain("<task>\nFix the bug.\n</task>");
  });

  it("keeps the prompt that was sent, and the session's id if the agent reports none", async () => {
    const { definition, calls } = sessionAgent({ onContinue: () => ({ kind: "text", text: VALID }) });
    await stage.play(definition, "developer");
    const { hash } = await stage.play(definition, "developer");
    expect(detailOf(stage.storage, hash)).toMatchObject({
      sessionId: "s-1",
      cwd: stage.root,
      prompt: { text: calls[1]?.message },
      turns: [],
    });
    await stage.play(definition, "developer");
    expect(calls.map(({ session }) => session)).toEqual([null, "s-1", "s-1"]);
    expect(calls[2]?.message).toContain("No other role had a step");
  });

  it("continues the session of its last step", async () => {
    const moved: AgentReply = { kind: "text", text: VALID, session: { sessionId: "s-2" } };
    const { definition, calls } = sessionAgent({ onContinue: () => moved });
    for (let visit = 0; visit < 3; visit += 1) await stage.play(definition, "developer");
    expect(calls.map(({ session }) => session)).toEqual([null, "s-1", "s-2"]);
  });

  it("has the header repaired in the same session", async () => {
    let answers = 0;
    const { definition, calls } = sessionAgent({
      onContinue: () => {
        answers += 1;
        return { kind: "text", text: answers === 1 ? "---\napproved: maybe\n---\n" : VALID };
      },
    });
    await stage.play(definition, "developer");
    const { hash } = await stage.play(definition, "developer");
    expect(calls.map(({ session }) => session)).toEqual([null, "s-1", "s-1"]);
    expect(calls[2]?.message).toContain("/approved: expected boolean");
    expect(detailOf(stage.storage, hash)).toMatchObject({
      prompt: { text: calls[1]?.message },
      turns: [{ input: { text: calls[2]?.message }, output: { text: VALID } }],
    });
  });

  it("shows the steps of other agents in its role among what has happened since", async () => {
    const { definition, calls } = sessionAgent();
    await stage.play(definition, "developer");
    await stage.play(reviewer("Another hand."), "developer");
    await stage.play(definition, "developer");
    expect(calls[1]).toMatchObject({ session: "s-1", message: expect.stringContaining("Another hand.") });
  });

  it("recognises its folder through any link", async () => {
    const [real, link] = [join(stage.root, "real"), join(stage.root, "link")];
    mkdirSync(real);
    symlinkSync(real, link);
    const { definition, calls } = sessionAgent({ session: { cwd: link } });
    await stage.play(definition, "developer", { cwd: real });
    await stage.play(definition, "developer", { cwd: real });
    expect(calls[1]?.session).toBe("s-1");
  });
});

describe("a fresh session", () => {
  it("starts with the complete history if the old one is lost, which is printed, recorded and logged", async () => {
    const { definition, calls } = sessionAgent({ onContinue: () => LOST });
    await stage.play(definition, "developer");
    await stage.play(reviewer("Tests are missing."), "reviewer");
    const { err, hash } = await stage.play(definition, "developer");
    expect(err).toBe(
      "uwf-test: session s-1 was not continued: agent x knows no session s-1 as developer; " +
        "a new session gets the complete history\n",
    );
    expect(calls.map(({ session }) => session)).toEqual([null, "s-1", null]);
    expect(calls[2]?.message).toContain("Reply 1.");
    expect(detailOf(stage.storage, hash)).toMatchObject({
      prompt: { text: calls[2]?.message },
      turns: [
        {
          input: { text: calls[1]?.message },
          output: { text: expect.stringMatching(/^session s-1 was not continued: .*knows no session/) },
          toolCalls: [],
          tokens: null,
        },
      ],
    });
    expect(logs()).toMatch(/"a session was not continued".*"sessionId":"s-1"/);
  });

  it("begins in another working folder: said, recorded and logged, and the old one is not asked", async () => {
    const { definition, calls } = sessionAgent();
    await stage.play(definition, "developer", { cwd: "/somewhere" });
    const { err, hash } = await stage.play(definition, "developer", { cwd: "/elsewhere" });
    expect(calls.map(({ session }) => session)).toEqual([null, null]);
    expect(err).toContain("it belongs to the folder /somewhere, and this step works in /elsewhere");
    expect(detailOf(stage.storage, hash)).toMatchObject({
      cwd: "/elsewhere",
      turns: [{ input: { text: "" }, output: { text: expect.stringContaining("/somewhere") } }],
    });
    expect(logs()).toContain("a session was not continued");
  });

  it.each([
    ["another role", "uwf-test", "reviewer", {}],
    ["an agent of another name", "uwf-twin", "developer", {}],
    ["where resume is off", "uwf-test", "developer", { UWF_RESUME: "off" }],
  ] as const)("begins quietly for %s", async (_what, name, role, env) => {
    await stage.play(sessionAgent().definition, "developer");
    const { definition, calls } = sessionAgent({ name });
    const { err, hash } = await stage.play(definition, role, { env });
    expect({ err, session: calls[0]?.session }).toEqual({ err: "", session: null });
    expect(detailOf(stage.storage, hash)).toMatchObject({ turns: [] });
  });

  it("begins where the agent cannot go on, and where the last visit left no session", async () => {
    const { definition, calls } = sessionAgent({ session: { sessionId: null } });
    await stage.play(definition, "developer");
    await stage.play(definition, "developer");
    const { continue: _, ...mute } = sessionAgent().definition;
    expect((await stage.play(mute, "developer")).code).toBe(0);
    expect(calls.map(({ session }) => session)).toEqual([null, null]);
  });

  it("begins in a fork: the session goes on in the thread that it comes from", async () => {
    const { definition, calls } = sessionAgent();
    const { hash } = await stage.play(definition, "developer");
    if (hash === null) throw new Error("no step");
    const thread = await newThreadId(Date.now() + 1);
    await addThread(stage.storage, thread, hash);
    await playIn({ ...stage, thread })(definition, "developer");
    expect(calls.map(({ session }) => session)).toEqual([null, null]);
  });

  it("is not begun once the process is to end", async () => {
    await stage.play(sessionAgent().definition, "developer");
    const { definition, calls } = sessionAgent();
    const host = makeHost([stage.thread, "developer"], stage.root);
    const interrupted = (): AgentReply => {
      host.interrupt("SIGTERM");
      return LOST;
    };
    expect(await runAgent({ ...definition, continue: interrupted }, host)).toBe(143);
    expect({ calls, err: host.written.err }).toEqual({
      calls: [],
      err: expect.not.stringContaining("not continued"),
    });
  });

  it("begins after two runs of this step have failed in the old one", async () => {
    const { definition, calls } = sessionAgent();
    await stage.play(definition, "developer");
    const { hash: head } = await stage.play(reviewer("No."), "reviewer");
    const others = [{ sessionId: "s-0" }, { head: "48PJ12JC509YP" }, { code: "INTERRUPTED" }, {}];
    for (const other of others) fail({ head, ...other });
    await stage.play(definition, "developer");
    fail({ head: await stage.headNow() });
    fail({ head: await stage.headNow() });
    const { err } = await stage.play(definition, "developer");
    expect(calls.map(({ session }) => session)).toEqual([null, "s-1", null]);
    expect(err).toContain("session s-1 was not continued: 2 runs of this step have failed in it");
  });

  it("has not cost what the lost one did not", async () => {
    const dir = join(stage.root, "runs", stage.thread, "token1");
    mkdirSync(dir, { recursive: true });
    await stage.play(sessionAgent().definition, "developer");
    const reported: unknown[] = [];
    const look = () => reported.push(JSON.parse(readFileSync(join(dir, "report.json"), "utf8")));
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2, costUsd: null };
    const definition: AgentDefinition = {
      name: "uwf-test",
      run: ({ report }) => {
        report({ sessionId: "s-2", model: "m", usage });
        look();
        throw new Error("no");
      },
      continue: () => {
        look();
        return LOST;
      },
    };
    await stage.play(definition, "developer", { env: { UWF_RUN: "token1" } });
    expect(reported).toEqual([
      {
        sessionId: "s-1",
        cwd: stage.root,
        model: null,
        usage: null,
        extractUsage: null,
        raw: null,
        fault: null,
        words: null,
      },
      {
        sessionId: "s-2",
        cwd: stage.root,
        model: "m",
        usage,
        extractUsage: null,
        raw: null,
        fault: null,
        words: null,
      },
    ]);
  });

  it("is not begun after a failure of another kind", async () => {
    const failed: AgentReply = { ...LOST, sessionLost: false };
    const { definition, calls } = sessionAgent({ onContinue: () => failed });
    await stage.play(definition, "developer");
    const { code, err } = await stage.play(definition, "developer");
    expect({ code, calls: calls.length }).toEqual({ code: 6, calls: 2 });
    expect(err).not.toContain("not continued");
  });
});
