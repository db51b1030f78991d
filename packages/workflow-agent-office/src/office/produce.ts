import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { err, isHash, ok, type Result } from "@uncaged/json-cas";
import { type Fault, readStoredFile, runProgram, type ToolCallFacts } from "@uncaged/workflow-agent-kit";
import { ENV } from "@uncaged/workflow-util";
import { type DocumentFault, type OpenFile, open, readDocument, sentencesOf } from "../document.js";
import type { Made, Task, Work } from "./options.js";

/** What a program has made of the task. */
export type Produced = {
  readonly output: Made;
  /** Absolute path of the document that was edited, as it was; `null`: there was none. */
  readonly source: string | null;
  readonly call: ToolCallFacts;
};

type Command = readonly [string, ...string[]];

/** The file in its folder to which a program may write what it has used. */
export function usageFileIn(folder: string): string {
  return join(folder, "usage.json");
}

/** Has a program make a document, or edit one, in a folder of its own. */
export async function produce(
  work: Work,
  command: Command,
  task: Task,
  folder: string,
): Promise<Result<Produced, DocumentFault>> {
  if (task.inputDocx === null) {
    mkdirSync(folder, { recursive: true });
    const called = await call(work, folder, [...command, "create", task.prompt, "-o", "output.docx"]);
    if (!called.ok) return called;
    const output = result(work, command, join(folder, "output.docx"));
    return output.ok ? ok({ output: output.value, source: null, call: called.value.call }) : output;
  }
  // The input is judged before anything is made or started.
  const input = readSource(work, task.inputDocx);
  if (!input.ok) return input;
  mkdirSync(folder, { recursive: true });
  const source = writeInto(folder, "original.docx", input.value.bytes);
  chmodSync(source, 0o444);
  const path = writeInto(folder, "modified.docx", input.value.bytes);
  const called = await call(work, folder, [...command, "edit", "modified.docx", task.prompt]);
  if (!called.ok) return called;
  const kept = readDocument(source);
  if (!kept.ok || Buffer.compare(kept.value.bytes, input.value.bytes) !== 0)
    return err(badResult(work, command, `changed original.docx in ${folder}, which has to stay as it was`));
  const output = result(work, command, path);
  return output.ok ? ok({ output: output.value, source, call: called.value.call }) : output;
}

function call(
  { context: { env, heartbeat, role, signal }, port, options }: Work,
  folder: string,
  command: Command,
): ReturnType<typeof runProgram> {
  const context = { env: { ...env, [ENV.officeUsage]: usageFileIn(folder) }, heartbeat, role, signal };
  const { cwd, stderr } = port;
  const { timeoutMs } = options;
  const timeoutOption = "--timeout of uwf-office";
  return runProgram({ context, command, cwd, folder, timeoutMs, results: [0], timeoutOption, stderr });
}

/** What the program has written, if it is a document. */
function result(work: Work, command: Command, path: string): Result<Made, Fault> {
  const file = readDocument(path);
  if (file.ok) return ok({ path, file: file.value });
  const { error } = file;
  if ("faults" in error)
    return err(badResult(work, command, `wrote no Word document: ${path}: ${sentencesOf(error.faults)}`));
  if (error.code !== "FILE_NOT_FOUND") return err(error);
  return err(badResult(work, command, `exited with 0, but there is no file ${path}: ${error.reason}`));
}

function badResult({ context: { role } }: Work, [command]: Command, problem: string): Fault {
  return {
    code: "AGENT_FAILED",
    command,
    role,
    outcome: problem,
    stderr: "",
    reason: "bad-result",
    message: `${command} as ${role} ${problem}`,
    hint: "the program has to write the file that its command line names; correct it, then step again",
  };
}

/** Of this run alone: a later one must not take half of a document for its own. */
export function folderOf({ context, port, options }: Work): string {
  const run = context.env[ENV.run] || port.newId();
  return join(resolve(port.cwd, options.outputDir), context.threadId, run);
}

/** Throws the system's errors. */
export function makeFolder(work: Work): string {
  const folder = folderOf(work);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Throws the system's errors. */
export function writeInto(folder: string, name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes, { flag: "wx" });
  return path;
}

/** A document by the hash of a stored file, or by its path from uwf's working folder. */
export function readSource({ context, port }: Work, reference: string): Result<OpenFile, DocumentFault> {
  if (!isHash(reference)) {
    const read = readDocument(resolve(port.cwd, reference));
    return read;
  }
  const file = readStoredFile(context.store, reference);
  return file.ok ? open(file.value.name, `${file.value.name} (${reference})`, file.value.bytes) : file;
}
