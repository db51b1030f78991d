import { parseArgs } from "node:util";
import { err, isObject, type JsonValue, lineProblem, ok, parseJson, type Result } from "@uncaged/json-cas";
import {
  type AgentContext,
  checkProgram,
  type Fault,
  type ProgramReport,
  timeoutMsOf,
} from "@uncaged/workflow-agent-kit";
import type { OpenFile } from "../document.js";

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

const AGENT = "uwf-office";

type Surroundings = { readonly cwd: string; readonly path: string };

/** `uwf-office --check [options]`: looks up the program; runs nothing. A sentence if the options are wrong. */
export function check(args: readonly string[], around: Surroundings): Result<ProgramReport, string> {
  const options = parseOptions(args);
  if (!options.ok) return options;
  const { command } = options.value;
  return ok(checkProgram(AGENT, command === null ? null : command[0], around));
}

const FORM = '{"prompt": "Make it shorter", "inputDocx": "report.docx"}';

/** The thread's prompt: a JSON object, or a text that asks for a new document. A text that begins with `{` is no text. */
export function parseTask(prompt: string): Result<Task, Fault> {
  if (!prompt.trimStart().startsWith("{")) return ok({ prompt, inputDocx: null });
  const wrong = (reason: string): Result<never, Fault> =>
    err({ code: "INVALID_INPUT", what: "the thread's prompt", reason, hint: `start a thread with ${FORM}` });
  const given = jsonOf(prompt);
  if (!given.ok) return wrong(`it begins with { and is no JSON: ${given.error}`);
  if (!isObject(given.value)) return wrong("it is no JSON object");
  const { prompt: wanted, inputDocx = null, ...more } = given.value;
  const [unknown] = Object.keys(more);
  if (unknown !== undefined)
    return wrong(`it has a field ${JSON.stringify(unknown)}, which means nothing here`);
  if (typeof wanted !== "string" || wanted.trim() === "") return wrong("its field prompt is not a text");
  if (inputDocx === null) return ok({ prompt: wanted, inputDocx });
  if (typeof inputDocx !== "string" || inputDocx === "")
    return wrong("its field inputDocx is neither a path, nor a hash, nor null");
  return ok({ prompt: wanted, inputDocx });
}

function jsonOf(text: string): Result<JsonValue, string> {
  try {
    return ok(parseJson(text));
  } catch (error) {
    return err(error instanceof Error ? error.message : String(error));
  }
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
};

/** uwf-office's own words. */
export type Options = {
  /** What makes the documents: a program and its first arguments; `null`: the last step's output says what to do. */
  readonly command: readonly [string, ...string[]] | null;
  /** As written; relative to uwf's working folder. */
  readonly outputDir: string;
  /** In ms; `null`: no limit. */
  readonly timeoutMs: number | null;
};

/** What the thread is about. */
export type Task = {
  readonly prompt: string;
  /** A path, or the hash of a stored file; `null`: a new document is asked for. */
  readonly inputDocx: string | null;
};

/** A document that a step has made. */
export type Made = {
  /** Absolute. */
  readonly path: string;
  readonly file: OpenFile;
};

/** What an outline in a step's output may have; prompts of later roles repeat it. */
export const OUTLINE_CHARACTERS = 40_000;
