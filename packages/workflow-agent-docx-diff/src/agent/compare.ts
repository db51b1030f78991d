import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { err, ok, type Result } from "@uncaged/json-cas";
import { type Fault, runProgram, type ToolCallFacts } from "@uncaged/workflow-agent-kit";
import { type Difference, diffDocuments, differenceSummary, saveDocument } from "@uncaged/workflow-docx";
import { readDocument } from "../tool/index.js";
import { asFault, type Input } from "./input.js";
import type { Work } from "./types.js";

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
