import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { err, isHash, isObject, ok, type Result } from "@uncaged/json-cas";
import { errnoOf, ioFault } from "@uncaged/json-cas-fs";
import {
  type AgentContext,
  type AgentReply,
  type Fault,
  readStoredFile,
  referenceField,
  runProgram,
  selectDeclared,
  type ToolCallFacts,
} from "@uncaged/workflow-agent-kit";
import {
  type Difference,
  type Document,
  diffDocuments,
  differenceSummary,
  differenceText,
  docxHint,
  docxMessage,
  openDocument,
  saveDocument,
} from "@uncaged/workflow-docx";
import { ENV } from "@uncaged/workflow-util";
import { type Options, parseOptions, USAGE } from "./agent-options.js";
import { readDocument, type ToolFault } from "./files.js";

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

/** The two documents that are compared: paths, or hashes of stored files. */
export type Pair = { readonly source: string; readonly modified: string };

/**
 * The documents of the newest step of `role`; `null`: of the newest one whose output has an `outputDocx`. No such step,
 * and one that edited no document, are different faults.
 */
function writersDocuments({ steps }: Pick<AgentContext, "steps">, role: string | null): Result<Pair, Fault> {
  const at = steps.findLastIndex((step) =>
    role === null ? isObject(step.output) && Object.hasOwn(step.output, "outputDocx") : step.role === role,
  );
  const step = steps[at];
  if (step === undefined) {
    const reason =
      role === null
        ? "no step before it has an outputDocx"
        : `there is no step of the role ${role} before it`;
    return refused(reason, "a role that writes a document has to come first: correct the graph, or --writer");
  }
  const what = `step ${at + 1}, ${step.role},`;
  const output = isObject(step.output) ? step.output : {};
  const { mode, sourceDocx: source = null, outputDocx: modified = null } = output;
  if (typeof modified !== "string" || modified === "")
    return refused(`${what} has made no document`, "let a condition lead here only if it has made one");
  if (typeof source !== "string" || source === "" || (typeof mode === "string" && mode !== "edit"))
    return refused(
      `${what} has not edited a document: ${typeof mode === "string" && mode !== "edit" ? `its mode is ${mode}` : "it names no sourceDocx"}`,
      'let a condition lead here only if it has, such as steps[-1].output.mode = "edit"',
    );
  return ok({ source, modified });
}

function refused(reason: string, hint: string): Result<never, Fault> {
  return err({ code: "INVALID_INPUT", what: "the documents to compare", reason, hint });
}

/** One of the two documents. */
export type Input = {
  readonly document: Document;
  /** Absolute. */
  readonly path: string;
  /** What the role's output says of it. */
  readonly field: string;
};

/**
 * Opens a document by its path or its hash. A stored one is put into the run's folder, for who needs a path; so is one
 * from elsewhere if the role's output refers to the stored file, since files of a step come from its own folder.
 */
export function openInput(
  { context, port, folder }: Work,
  reference: string,
  field: "sourceDocx" | "modifiedDocx",
): Result<Input, Fault> {
  const own = join(folder, `${field === "sourceDocx" ? "source" : "modified"}.docx`);
  const isStored = referenceField(context.metaSchema, field) === "one";
  if (isHash(reference)) {
    const file = readStoredFile(context.store, reference);
    if (!file.ok) return file;
    const opened = openDocument(file.value.bytes);
    if (!opened.ok) {
      const { name } = file.value;
      return { ok: false, error: asFault({ file: `${name} (${reference})`, ...opened.error }) };
    }
    writeFileSync(own, file.value.bytes, { flag: "wx" });
    return ok({ document: opened.value, path: own, field: isStored ? reference : own });
  }
  const path = resolve(port.cwd, reference);
  const read = readDocument(path);
  if (!read.ok) return { ok: false, error: asFault(read.error) };
  if (!isStored) return ok({ document: read.value, path, field: path });
  copyFileSync(path, own);
  return ok({ document: read.value, path: own, field: own });
}

/** As a fault of the kit, whose table does not have the codes of documents. */
export function asFault(cause: ToolFault): Fault {
  if ("file" in cause) {
    const reason = `${docxMessage(cause)} (${cause.code})`;
    return { code: "INVALID_INPUT", what: cause.file, reason, hint: docxHint(cause) };
  }
  if (cause.code === "FILE_NOT_FOUND" || cause.code === "IO_FAILED") return cause;
  throw new Error(cause.reason);
}

/** What the comparison has given. */
export type Compared = {
  readonly difference: Difference;
  readonly isEqual: boolean;
  /** Absolute path of the document with tracked changes. */
  readonly diffDocx: string;
  readonly call: ToolCallFacts;
};

/** Compares in this process; with `--command` another program makes the document, and says whether they are equal. */
export async function compare(work: Work, source: Input, modified: Input): Promise<Result<Compared, Fault>> {
  const by = { author: "uwf-docx-diff", date: null };
  const difference = diffDocuments(source.document, modified.document, by);
  const diffDocx = join(work.folder, "diff.docx");
  const { command } = work.options;
  if (command !== null) {
    const called = await callProgram(work, command, { source, modified, diffDocx });
    return called.ok ? ok({ ...called.value, difference, diffDocx }) : called;
  }
  const { tracked, isEqual } = difference;
  if (!tracked.ok) return err(asFault({ file: modified.path, ...tracked.error }));
  writeFileSync(diffDocx, saveDocument(tracked.value), { flag: "wx" });
  const call = {
    name: "docx-diff",
    arguments: JSON.stringify({ source: source.path, modified: modified.path, outFile: diffDocx }),
    result: differenceSummary(difference),
    durationMs: null,
  };
  return ok({ difference, isEqual, diffDocx, call });
}

type Files = { readonly source: Input; readonly modified: Input; readonly diffDocx: string };

async function callProgram(
  { context, port, options, folder }: Work,
  command: readonly [string, ...string[]],
  { source, modified, diffDocx }: Files,
): Promise<Result<Pick<Compared, "isEqual" | "call">, Fault>> {
  const words = [source.path, modified.path, "--output", "docx", "--out-file", diffDocx];
  const ended = await runProgram({
    context,
    command: [...command, ...words],
    cwd: port.cwd,
    folder,
    timeoutMs: options.timeoutMs,
    results: [0, 1],
    timeoutOption: "--timeout of uwf-docx-diff",
    stderr: port.stderr,
  });
  if (!ended.ok) return ended;
  const { exitCode, call } = ended.value;
  const written = readDocument(diffDocx);
  if (written.ok) return ok({ isEqual: exitCode === 0, call });
  const cause = asFault(written.error);
  const problem =
    cause.code === "FILE_NOT_FOUND"
      ? `exited with ${exitCode}, but there is no file ${diffDocx}`
      : `exited with ${exitCode}, but ${diffDocx} cannot be read as a document: ${"reason" in cause ? cause.reason : cause.code}`;
  const [program] = command;
  return err({
    code: "AGENT_FAILED",
    command: program,
    role: context.role,
    outcome: problem,
    stderr: "",
    reason: "bad-result",
    message: `${program} as ${context.role} ${problem}`,
    hint: "with exit code 0 or 1 the program has to write the document that --out-file names; correct it, then step again",
  });
}

/** The process around the agent; the binary passes the real one. */
export type Port = {
  readonly cwd: string;
  /** Names the folder of a run that uwf has given no name. */
  readonly newId: () => string;
  /** Lines to our stderr. */
  readonly stderr: (lines: string) => void;
};

/** The step's inputs. */
export type Work = {
  readonly context: AgentContext;
  readonly port: Port;
  readonly options: Options;
  /** Of this run alone: a later one must not take half of a document for its own. Absolute. */
  readonly folder: string;
};
