import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { acpAgent } from "../../src/index.js";
import {
  isAlive,
  makeAgent,
  makeThread,
  REVIEW_META,
  run,
  stepOf,
  type TestThread,
  TIMES,
  VALID,
} from "../helpers.js";

let made: TestThread;

beforeEach(async () => {
  made = await makeThread({ reviewer: REVIEW_META });
});

afterEach(() => made.remove());

/** Without a header first, with one when it is asked again. */
const FORGETS = `
  on["session/prompt"] = ({ prompt }) => {
    text(/violations|frontmatter/.test(prompt[0].text) ? ${JSON.stringify(VALID)} : "No header.");
    return { stopReason: "end_turn", usage: { inputTokens: 10, outputTokens: 1, totalTokens: 11 } };
  };`;

const KEEPS_NOTHING = `on["initialize"] = () => ({ protocolVersion: 1, agentCapabilities: { loadSession: false } });`;

const RESUMES = `
  on["initialize"] = () => ({ protocolVersion: 1, agentCapabilities: { loadSession: true, sessionCapabilities: { resume: {} } } });`;

describe("a reply without a valid header", () => {
  it("is corrected in the same session, loaded by a second process", async () => {
    const fake = makeAgent(made.root, FORGETS);
    const { code, out, err } = await run(made, [fake.command]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(fake.methods()).toEqual([
      "initialize",
      "session/new",
      "session/prompt",
      "initialize",
      "session/load",
      "session/prompt",
    ]);
    expect(fake.received()[4]).toMatchObject({ params: { sessionId: "s1", cwd: made.root, mcpServers: [] } });
    expect(stepOf(made, out).detail).toMatchObject({
      sessionId: "s1",
      raw: { text: `No header.\n\n${VALID}` },
      usage: { inputTokens: 20, outputTokens: 2, totalTokens: 22, costUsd: null },
    });
  });

  it("is corrected in the same process if the agent cannot load sessions; then that process is ended", async () => {
    const fake = makeAgent(made.root, KEEPS_NOTHING + FORGETS);
    const { code, out } = await run(made, [fake.command]);
    expect(code).toBe(0);
    expect(fake.methods()).toEqual(["initialize", "session/new", "session/prompt", "session/prompt"]);
    expect(fake.started()).toHaveLength(1);
    // Nobody says whether the second prompt's usage counts the first one's again.
    expect(stepOf(made, out).detail).toMatchObject({ usage: null });
    await expect.poll(() => fake.started().some(isAlive)).toBe(false);
  });
});

function agentFor(command: string, report: (facts: object) => void = () => {}) {
  const stderr = (): void => {};
  const agent = acpAgent({ cwd: made.root, now: Date.now, stderr, version: "0", times: TIMES });
  const context = {
    prompt: "the whole prompt",
    role: "reviewer",
    args: ["--", command],
    env: { PATH: process.env.PATH },
    signal: new AbortController().signal,
    heartbeat: () => {},
    report,
  };
  return (sessionId: string) => agent.continue(sessionId, "what is new", context as never);
}

describe("a later visit of the role", () => {
  it("continues with session/load, and the replayed history is not in this visit's trace", async () => {
    const body = `
      on["session/load"] = () => { text("old answer"); update({ sessionUpdate: "tool_call", toolCallId: "old", title: "old" }); return { models: { currentModelId: "m" } }; };`;
    const fake = makeAgent(made.root, body);
    const reply = await agentFor(fake.command)("s1");
    expect(fake.received().slice(1)).toMatchObject([
      { method: "session/load", params: { sessionId: "s1", cwd: made.root } },
      { method: "session/prompt", params: { prompt: [{ type: "text", text: "what is new" }] } },
    ]);
    expect(reply).toMatchObject({
      kind: "text",
      text: VALID,
      session: {
        sessionId: "s1",
        model: "m",
        cwd: made.root,
        turns: [{ input: "what is new", output: VALID, toolCalls: [] }],
      },
    });
  });

  it("reports its session before the prompt, in case it is killed", async () => {
    const body = `on["session/prompt"] = () => { process.exit(1); };`;
    const reported: object[] = [];
    const reply = await agentFor(makeAgent(made.root, body).command, (facts) => reported.push(facts))("s1");
    expect(reply).toMatchObject({ kind: "failed", session: { sessionId: "s1" } });
    expect(reported).toEqual([{ sessionId: "s1", model: null }]);
  });

  it("ends the agent when its output cannot be handled", async () => {
    const fake = makeAgent(made.root, "");
    const reply = agentFor(fake.command, () => {
      throw new Error("a bug");
    });
    await expect(reply("s1")).rejects.toThrow("a bug");
    expect(fake.started().some(isAlive)).toBe(false);
  });

  it("continues with session/resume if the agent supports it", async () => {
    const fake = makeAgent(made.root, `${RESUMES} on["session/resume"] = () => ({});`);
    expect(await agentFor(fake.command)("s1")).toMatchObject({ kind: "text", text: VALID });
    expect(fake.methods()).toEqual(["initialize", "session/resume", "session/prompt"]);
  });

  it("tries session/load if session/resume is refused", async () => {
    const fake = makeAgent(
      made.root,
      `${RESUMES} on["session/resume"] = () => refuse(-32601, "no such method");`,
    );
    expect(await agentFor(fake.command)("s1")).toMatchObject({ kind: "text", text: VALID });
    expect(fake.methods()).toEqual(["initialize", "session/resume", "session/load", "session/prompt"]);
  });

  it("does not report the cost of the whole session as its own", async () => {
    const body = `
      on["session/prompt"] = () => {
        update({ sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 5, currency: "USD" } });
        text("x");
        return { stopReason: "end_turn", usage: { inputTokens: 1, outputTokens: 1 } };
      };`;
    const reply = await agentFor(makeAgent(made.root, body).command)("s1");
    expect(reply).toMatchObject({ session: { usage: { inputTokens: 1, totalTokens: 2, costUsd: null } } });
  });

  it.each([
    [
      "refuses to load it",
      `on["session/load"] = () => refuse(-32002, "Resource not found");`,
      /refused session\/load/,
    ],
    ["loads no sessions", KEEPS_NOTHING, /cannot continue session s1: it does not support loading sessions/],
  ])("has lost its session where the agent %s", async (_, body, outcome) => {
    const fake = makeAgent(made.root, body);
    expect(await agentFor(fake.command)("s1")).toMatchObject({
      kind: "failed",
      sessionLost: true,
      fault: { code: "AGENT_FAILED", outcome: expect.stringMatching(outcome) },
    });
    expect(fake.methods()).not.toContain("session/prompt");
    expect(fake.started().some(isAlive)).toBe(false);
  });

  it.each([
    ["dies over it", `on["session/load"] = () => process.exit(1);`],
    ["wants a login", `on["session/load"] = () => refuse(-32000, "Authentication required");`],
    ["fails in the prompt", `on["session/prompt"] = () => refuse(-32603, "Internal error");`],
  ])("has not lost it where the agent %s", async (_, body) => {
    const reply = await agentFor(makeAgent(made.root, body).command)("s1");
    expect(reply).toMatchObject({ kind: "failed", sessionLost: false });
  });
});
