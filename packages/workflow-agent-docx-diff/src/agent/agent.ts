import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { errnoOf, ioFault } from "@uncaged/json-cas-fs";
import { type AgentContext, type AgentReply, type Fault, selectDeclared } from "@uncaged/workflow-agent-kit";
import { differenceSummary, differenceText } from "@uncaged/workflow-docx";
import { ENV } from "@uncaged/workflow-util";
import { compare } from "./compare.js";
import { openInput } from "./input.js";
import { parseOptions, USAGE } from "./options.js";
import type { Port, Work } from "./types.js";
import { type Pair, writersDocuments } from "./writer.js";

/** Of the field `diff`, which later prompts repeat. */
const DIFF_CHARACTERS = 12_000;

/**
 * Compares the two documents of an earlier step. Paths in the output are absolute; the kit puts the stored file in their
 * place where the role's meta asks for a reference.
 */
export async function docxDiff(context: AgentContext, port: Port): Promise<AgentReply> {
  const options = parseOptions(context.args);
  if (!options.ok) return failed({ code: "USAGE", reason: options.error, usage: USAGE });
  const pair = writersDocuments(context, options.value.writer);
  if (!pair.ok) return failed(pair.error);
  const run = context.env[ENV.run] || port.newId();
  const folder = join(resolve(port.cwd, options.value.outputDir), context.threadId, run);
  const work: Work = { context, port, options: options.value, folder };
  try {
    mkdirSync(folder, { recursive: true });
    return await reply(work, pair.value);
  } catch (error) {
    if (errnoOf(error) === null) throw error;
    // What is read has its own faults.
    const { fault } = ioFault("write", folder, error);
    return failed(fault as Fault);
  }
}

async function reply(work: Work, pair: Pair): Promise<AgentReply> {
  const source = openInput(work, pair.source, "sourceDocx");
  if (!source.ok) return failed(source.error);
  const modified = openInput(work, pair.modified, "modifiedDocx");
  if (!modified.ok) return failed(modified.error);
  const compared = await compare(work, source.value, modified.value);
  if (!compared.ok) return failed(compared.error);
  const { difference, isEqual, diffDocx, call } = compared.value;
  const summary = differenceSummary(difference);
  const value = {
    sourceDocx: source.value.field,
    modifiedDocx: modified.value.field,
    diffDocx,
    equal: isEqual,
    changes: difference.changes.length + difference.others.length,
    summary,
    diff: differenceText(difference, { maxCharacters: DIFF_CHARACTERS }),
  };
  const turn = { input: "", output: summary, toolCalls: [call], tokens: null, latencyMs: call.durationMs };
  // Files of a step are looked for in the session's folder.
  const output = selectDeclared(work.context.metaSchema, value);
  return { kind: "output", value: output, session: { cwd: work.folder, turns: [turn] } };
}

function failed(fault: Fault): AgentReply {
  return { kind: "failed", fault };
}
