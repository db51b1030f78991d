import { parseArgs } from "node:util";
import { err, lineProblem, ok, type Result } from "@uncaged/json-cas";
import { timeoutMsOf } from "@uncaged/workflow-agent-kit";
import type { Options } from "./types.js";

/** What `uwf-office --help` prints. */
export const HELP = `uwf thread start document -p '{"prompt": "Make it shorter", "inputDocx": "report.docx"}'
uwf thread step <thread> --agent uwf-office
uwf thread step <thread> --agent "uwf-office --command my-office-agent --output-dir out"

Usage: uwf-office [options] [-- <words…>] <thread-id> <role>

A uwf agent that makes a Word document, or edits one, with a program. The thread's prompt is JSON {"prompt", "inputDocx"},
where inputDocx is a path or the hash of a stored file, or null; or a text, which asks for a new document. In a folder of
its own for each run it starts

  <command> <words…> create "<prompt>" -o output.docx
  <command> <words…> edit modified.docx "<prompt>"        with the input in original.docx and in modified.docx

and checks what has been made. A program that asks a model may write what it has used, {"model", "inputTokens",
"outputTokens", "costUsd"}, to the file that the variable UWF_OFFICE_USAGE names: it counts in the step's usage, as
office-agent's does. The role's output: mode (generate or edit), outputDocx, sourceDocx (null for generate) and
outline, as far as its meta declares them. A field with \`format: cas_ref\` gets the stored file, any other the path.

With --apply there is no program: blocks, data or edits in the last step's output become a document, or ok is false and
problem says why; examples/write-report.yaml of uwf is such a workflow.

Options:
  --command <program>     what makes the documents; office-agent by default
  --output-dir <folder>   where <thread>/<run> is made; documents by default
  --timeout <seconds>     time limit for the program; none by default
  --apply                 apply the last step's output
  --check                 as the first word: only check whether the program can be started
  --version
`;

export const USAGE =
  "usage: uwf-office [--command <program> | --apply] [--output-dir <folder>] [--timeout <seconds>] [-- <words…>] <thread-id> <role>";

const WORDS = {
  command: { type: "string" },
  "output-dir": { type: "string" },
  timeout: { type: "string" },
  apply: { type: "boolean" },
} as const;

/** The words without the two that uwf appends, or a sentence about what is wrong with them. */
export function parseOptions(args: readonly string[]): Result<Options, string> {
  const split = args.indexOf("--");
  const own = split === -1 ? args : args.slice(0, split);
  const words = split === -1 ? [] : args.slice(split + 1);
  try {
    const { values } = parseArgs({ args: [...own], options: WORDS, strict: true, allowPositionals: false });
    const { command, timeout, apply = false } = values;
    const outputDir = values["output-dir"] ?? "documents";
    if (command === "") return err("--command needs the name of a program");
    if (outputDir === "") return err("--output-dir needs the name of a folder");
    if (apply && (command !== undefined || timeout !== undefined || words.length > 0))
      return err("--apply runs no program: it takes neither --command nor --timeout nor words after --");
    const timeoutMs = timeout === undefined ? ok(null) : timeoutMsOf(timeout);
    if (!timeoutMs.ok) return timeoutMs;
    return ok({
      command: apply ? null : [command ?? "office-agent", ...words],
      outputDir,
      timeoutMs: timeoutMs.value,
    });
  } catch (error) {
    return err(lineProblem(error, Object.keys(WORDS)));
  }
}
