import { resolve } from "node:path";
import type { AgentContext, AgentReply } from "@uncaged/workflow-agent-kit";
import { definedOnly } from "@uncaged/workflow-util";
import { type Port, runCommand } from "../command/index.js";
import { STEPS_FILE, writeStepsFile } from "../history/index.js";
import { parseWords, USAGE, type Words } from "../words/index.js";
import { replyOf } from "./reply.js";

/** Plays the role by running the command: what it printed, or how it ended, is the step's output. */
export async function exec(context: AgentContext, port: Port): Promise<AgentReply> {
  const parsed = parseWords(context.args);
  if (!parsed.ok) return { kind: "failed", fault: { code: "USAGE", reason: parsed.reason, usage: USAGE } };
  const { words } = parsed;
  const cwd = resolve(port.cwd, words.cwd ?? ".");
  const called = await callOver(context, port, words, cwd);
  if (!called.ok) return { kind: "failed", fault: called.fault };
  return replyOf(called.ran, { context, words, cwd, port });
}

async function callOver(
  context: AgentContext,
  port: Port,
  words: Words,
  cwd: string,
): ReturnType<typeof runCommand> {
  const { threadId, role, prompt, signal } = context;
  const file = writeStepsFile(context, port.temporary);
  const own = { UWF_THREAD: threadId, UWF_ROLE: role, [STEPS_FILE]: file.path };
  const onLine = (line: string): void => {
    context.heartbeat();
    port.stderr(line);
  };
  try {
    return await runCommand({
      words,
      env: { ...definedOnly(context.env), ...own },
      cwd,
      stdin: prompt,
      signal,
      onLine,
    });
  } finally {
    file.remove();
  }
}
