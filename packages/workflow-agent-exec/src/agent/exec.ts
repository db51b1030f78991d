import { resolve } from "node:path";
import type { AgentContext, AgentReply } from "@uncaged/workflow-agent-kit";
import { definedOnly } from "@uncaged/workflow-util";
import { type Port, runCommand } from "../command/index.js";
import { type Files, makeFiles, OUTPUT_FILE, STEPS_FILE } from "../files/index.js";
import { parseWords, USAGE, type Words } from "../words/index.js";
import { fieldsOf } from "./fields.js";
import { replyOf } from "./reply.js";

/** Plays the role by running the command: how it ended, and what it told of itself, is the step's output. */
export async function exec(context: AgentContext, port: Port): Promise<AgentReply> {
  const parsed = parseWords(context.args);
  if (!parsed.ok) return { kind: "failed", fault: { code: "USAGE", reason: parsed.reason, usage: USAGE } };
  const { words } = parsed;
  const cwd = resolve(port.cwd, words.cwd ?? ".");
  const files = makeFiles(context, port.temporary);
  try {
    const called = await callOver({ context, port, files }, words, cwd);
    if (!called.ok) return { kind: "failed", fault: called.fault };
    return replyOf(called.ran, fieldsOf(called.ran, words, files), { context, words, cwd });
  } finally {
    files.remove();
  }
}

type Call = { readonly context: AgentContext; readonly port: Port; readonly files: Files };

function callOver({ context, port, files }: Call, words: Words, cwd: string): ReturnType<typeof runCommand> {
  const { threadId, role, prompt, signal } = context;
  const own = {
    UWF_THREAD: threadId,
    UWF_ROLE: role,
    [STEPS_FILE]: files.steps,
    [OUTPUT_FILE]: files.output,
  };
  const onLine = (line: string): void => {
    context.heartbeat();
    port.stderr(line);
  };
  const env = { ...definedOnly(context.env), ...own };
  return runCommand({ words, env, cwd, stdin: prompt, signal, onLine });
}
