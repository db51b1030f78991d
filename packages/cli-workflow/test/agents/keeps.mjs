#!/usr/bin/env node
// @ts-nocheck: agents are plain JavaScript, as an author without TypeScript would write them.
// An agent whose sessions live in its first argument, a folder: `keeps.mjs <folder> <behaviour> <thread-id> <role>`.
import { appendFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createAgent } from "@uncaged/workflow-agent-kit";

const [folder, behaviour] = process.argv.slice(2, -2);

const fileOf = (sessionId) => join(folder, `${sessionId}.session`);

const reply = (role, sessionId) => ({
  kind: "text",
  text: `---\n${role === "maker" ? "text: made" : "approved: true"}\n---\n`,
  session: { sessionId },
});

/** Fails while the session is told already and the work goes on. */
const BEHAVIOURS = {
  works: ({ role }, sessionId) => reply(role, sessionId),
  hangs: ({ heartbeat }) => new Promise(() => setInterval(heartbeat, 1000)),
  crashes: () => process.kill(process.pid, "SIGKILL") && new Promise(() => setInterval(() => {}, 1000)),
  /** Fails in every session but one that is continued. */
  fails: ({ role }, sessionId, message) => {
    if (message.includes("# Your earlier attempt")) return reply(role, sessionId);
    throw new Error("the tests could not be started");
  },
};

const work = (sessionId, message, context) => {
  appendFileSync(fileOf(sessionId), `${message}\n=====\n`);
  context.report({ sessionId, model: "small-1" });
  return BEHAVIOURS[behaviour](context, sessionId, message);
};

await createAgent({
  name: "uwf-keeps",
  run: (context) =>
    work(
      `s-${readdirSync(folder).filter((name) => name.endsWith(".session")).length + 1}`,
      context.prompt,
      context,
    ),
  continue: (sessionId, message, context) => {
    if (existsSync(fileOf(sessionId))) return work(sessionId, message, context);
    const fault = {
      code: "AGENT_FAILED",
      command: "uwf-keeps",
      role: context.role,
      outcome: "has no such session",
      stderr: "",
    };
    return { kind: "failed", sessionLost: true, fault };
  },
})();
