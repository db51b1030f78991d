import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { acpAgent } from "../../src/index.js";
import { makeAgent, makeThread, REVIEW_META, run, stepOf, type TestThread, TIMES } from "../helpers.js";

// What an agent tells of a loaded session's past is never a part of the new answer, whenever it comes.

let made: TestThread;

beforeEach(async () => {
  made = await makeThread({ reviewer: REVIEW_META });
});

afterEach(() => made.remove());

async function visit(body: string) {
  const fake = makeAgent(made.root, body);
  const agent = acpAgent({ cwd: made.root, now: Date.now, stderr: () => {}, version: "0", times: TIMES });
  const context = {
    prompt: "the whole prompt",
    role: "reviewer",
    args: ["--", fake.command],
    env: { PATH: process.env.PATH },
    signal: new AbortController().signal,
    heartbeat: () => {},
    report: () => {},
  };
  return agent.continue("s1", "Review it again.\nThe tests are new.", context as never);
}

const verdict = (approved: boolean) => `---\napproved: ${approved}\n---\nSo it is.`;

/** The old conversation, as an agent tells it again; `words` is what its prompt's echo says. */
const telling = (approved: boolean) => `
  const past = () => {
    update({ sessionUpdate: "user_message_chunk", content: { type: "text", text: "Review it." } });
    update({ sessionUpdate: "tool_call", toolCallId: "old", title: "old", status: "completed" });
    text(${JSON.stringify(verdict(approved))});
  };`;

const ECHO = `
  const echo = ({ prompt }) => {
    const words = prompt[0].text;
    for (const part of [words.slice(0, 8), words.slice(8)]) update({ sessionUpdate: "user_message_chunk", content: { type: "text", text: part } });
  };`;

const answering = (approved: boolean) =>
  `text(${JSON.stringify(verdict(approved))}); return { stopReason: "end_turn" };`;

/** When the old conversation comes, and whether the new prompt is told back before its answer. */
const ORDERS: readonly (readonly [string, (approved: boolean) => string])[] = [
  [
    "before the answer to session/load",
    (approved) => `
      on["session/load"] = () => { past(); return {}; };
      on["session/prompt"] = () => { ${answering(approved)} };`,
  ],
  [
    "right after the answer to session/load",
    (approved) => `
      on["session/load"] = (_, id) => { say({ id, result: {} }); past(); };
      on["session/prompt"] = () => { ${answering(approved)} };`,
  ],
  [
    "after the new prompt, before its echo",
    (approved) => `
      on["session/prompt"] = (params) => { past(); echo(params); ${answering(approved)} };`,
  ],
  [
    "in part before the prompt, in part after it, before its echo",
    (approved) => `
      on["session/load"] = (_, id) => { past(); say({ id, result: {} }); past(); };
      on["session/prompt"] = (params) => { past(); echo(params); ${answering(approved)} };`,
  ],
  ["not at all", (approved) => `on["session/prompt"] = () => { ${answering(approved)} };`],
  [
    "not at all, with an echo",
    (approved) => `on["session/prompt"] = (params) => { echo(params); ${answering(approved)} };`,
  ],
];

describe.each([
  ["an approval after a rejection", false, true],
  ["a rejection after an approval", true, false],
])("%s", (_which, before, now) => {
  it.each(ORDERS)("is the answer if the history comes %s", async (_when, order) => {
    const reply = await visit(telling(before) + ECHO + order(now));
    expect(reply).toMatchObject({
      kind: "text",
      text: verdict(now),
      session: { turns: [{ output: verdict(now), toolCalls: [] }] },
    });
  });

  it("is unknown if the history comes after the prompt and its end is not marked", async () => {
    const reply = await visit(`${telling(before)}
      on["session/prompt"] = () => { past(); ${answering(now)} };`);
    expect(reply).toMatchObject({
      kind: "failed",
      sessionLost: true,
      fault: { outcome: "replayed its session's history together with the new answer" },
    });
  });
});

describe("without replayed history, every update belongs to this prompt", () => {
  const REMARK = `update({ sessionUpdate: "user_message_chunk", content: { type: "text", text: "A reminder." } });`;

  it.each([
    [
      "a resumed session",
      `on["initialize"] = () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities: { resume: {} } } });
      on["session/resume"] = () => ({});`,
    ],
  ])("%s with a user's message that is not the prompt", async (_where, body) => {
    const reply = await visit(`${body}
      on["session/prompt"] = () => { ${REMARK} ${answering(true)} };`);
    expect(reply).toMatchObject({ kind: "text", text: verdict(true) });
  });

  it("a new session with a user's message that is not the prompt", async () => {
    const body = `on["session/prompt"] = () => { ${REMARK} ${answering(true)} };`;
    const { out } = await run(made, [makeAgent(made.root, body).command]);
    expect(stepOf(made, out).output).toMatchObject({ approved: true });
  });
});
