import { ioFault } from "@uncaged/json-cas-fs";
import { type AgentContext, type AgentReply, type Fault, selectDeclared } from "@uncaged/workflow-agent-kit";
import { outlineOf } from "@uncaged/workflow-docx";
import { asFault, outlineText, pathOf } from "../document.js";
import { readUsed, type Used } from "../usage.js";
import { apply } from "./apply.js";
import {
  OUTLINE_CHARACTERS,
  type Port,
  parseOptions,
  parseTask,
  type Task,
  USAGE,
  type Work,
} from "./options.js";
import { folderOf, type Produced, produce, usageFileIn } from "./produce.js";

/**
 * Makes a document or edits one. Paths in the output are absolute; the kit puts the stored file in their place where the
 * role's meta asks for a reference.
 */
export async function office(context: AgentContext, port: Port): Promise<AgentReply> {
  const reply = await officeReply(context, port);
  if (reply.kind !== "output") return reply;
  return { ...reply, value: selectDeclared(context.metaSchema, reply.value) };
}

async function officeReply(context: AgentContext, port: Port): Promise<AgentReply> {
  const options = parseOptions(context.args);
  if (!options.ok) return failed({ code: "USAGE", reason: options.error, usage: USAGE });
  const task = parseTask(context.start.prompt);
  if (!task.ok) return failed(task.error);
  const work: Work = { context, port, options: options.value };
  try {
    return await replyTo(work, task.value);
  } catch (error) {
    return failed(ioFault("write", pathOf(error) ?? work.options.outputDir, error).fault);
  }
}

async function replyTo(work: Work, task: Task): Promise<AgentReply> {
  const { command } = work.options;
  if (command === null) return apply(work, task);
  const folder = folderOf(work);
  const produced = await produce(work, command, task, folder);
  // What a failed run has used counts too. Files of a step are looked for in the session's folder.
  const session = { cwd: folder, ...readUsed(usageFileIn(folder)) };
  return produced.ok
    ? replyOf(produced.value, task, session)
    : { kind: "failed", fault: asFault(produced.error), session };
}

function failed(fault: Fault): AgentReply {
  return { kind: "failed", fault };
}

function replyOf(
  { output, source, call }: Produced,
  { prompt }: Task,
  session: Used & { readonly cwd: string },
): AgentReply {
  const value = {
    mode: source === null ? "generate" : "edit",
    outputDocx: output.path,
    sourceDocx: source,
    outline: outlineText(outlineOf(output.file.document), OUTLINE_CHARACTERS),
  };
  const { usage } = session;
  const tokens = usage === null ? null : { input: usage.inputTokens, output: usage.outputTokens };
  const turn = { input: prompt, output: "", toolCalls: [call], tokens, latencyMs: call.durationMs };
  return { kind: "output", value, session: { ...session, turns: [turn] } };
}
