import type { AgentContext } from "@uncaged/workflow-agent-kit";
import { expect, it, onTestFinished } from "vitest";
import type { Options } from "../../src/arguments.js";
import { startLive } from "../../src/live.js";
import { createTrace } from "../../src/trace.js";
import { makeAgent, makeThread, REVIEW_META, TIMES } from "../helpers.js";

const TOOL = { toolCallId: "t1", title: "make", kind: "execute" };

/** Looks at a running tool, each of them later than the limit. */
const LOOKS = 10;

const OPTIONS: Options = {
  allow: new Set(),
  deny: new Set(),
  commands: [],
  model: null,
  idleSeconds: 0.001,
  command: ["agent"],
};

it("an agent may be silent while its tool runs, and is ended for its silence after it", async () => {
  const made = await makeThread({ reviewer: REVIEW_META });
  onTestFinished(made.remove);
  const { command } = makeAgent(made.root, `on["session/prompt"] = () => {};`);
  const env = { PATH: process.env.PATH ?? "" };
  const context = { env, heartbeat: () => {}, signal: new AbortController().signal };
  const port = { cwd: made.root, now: Date.now, stderr: () => {}, version: "0.0.0", times: TIMES };
  const live = startLive(context as unknown as AgentContext, OPTIONS, command, port);

  const trace = createTrace("Review", Date.now);
  trace.update({ ...TOOL, sessionUpdate: "tool_call", status: "in_progress" });
  const looked = new Promise<string>((resolve) => {
    let looks = 0;
    const busy = (): boolean => {
      looks += 1;
      if (looks === LOOKS) resolve("looked");
      return trace.busy();
    };
    live.listener = { sessionId: "s1", trace: { ...trace, busy } };
  });
  const answer = live.connection.request("session/prompt", {}, null);
  expect(await Promise.race([looked, answer])).toBe("looked");

  trace.update({ ...TOOL, sessionUpdate: "tool_call_update", status: "completed" });
  expect(await answer).toMatchObject({ kind: "ended", outcome: { kind: "timeout", limit: "idle" } });
});
