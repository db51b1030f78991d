import { parseArgs } from "node:util";
import { err, lineProblem, ok, type Result } from "@uncaged/json-cas";
import { checkProgram, type ProgramReport, timeoutMsOf } from "@uncaged/workflow-agent-kit";

/** What `uwf-docx-diff --help` prints. */
export const HELP = `uwf thread step <thread> --agent uwf-docx-diff
uwf thread step <thread> --agent "uwf-docx-diff --output-dir out"
uwf thread step <thread> --agent "uwf-docx-diff --command my-docx-diff --timeout 60"

Usage: uwf-docx-diff [options] [-- <words…>] <thread-id> <role>

A uwf agent that compares the two Word documents of an earlier step, without a model: sourceDocx and outputDocx in the
newest output that has an outputDocx. Both are paths or hashes of stored files. The role's output, as far as its meta
declares it:

  sourceDocx, modifiedDocx   the two documents
  diffDocx                   the modified one with tracked changes
  equal                      whether nothing differs
  changes                    how many blocks and other parts differ
  summary                    2 blocks changed, 1 inserted; the header differs
  diff                       what differs as text, at most 12,000 characters: 12: We have [-three-]{+four+} apples.

A document's field with \`format: cas_ref\` gets the stored file, any other the path.

Options:
  --writer <role>         the role whose newest step names the documents
  --command <program>     another program that makes diffDocx, called as docx-diff is:
                            <program> <words…> <source> <modified> --output docx --out-file diff.docx
                          exit code 0 the same, 1 different, both with the file; anything else is an error
  --output-dir <folder>   where <thread>/<run> is made; documents by default
  --timeout <seconds>     time limit for the program; none by default
  --check                 as the first word: only check whether the program can be started
  --version
`;

export const USAGE =
  "usage: uwf-docx-diff [--writer <role>] [--command <program>] [--output-dir <folder>] [--timeout <seconds>] [-- <words…>] <thread-id> <role>";

/** uwf-docx-diff's own words. */
export type Options = {
  /** `null`: whichever step has a document. */
  readonly writer: string | null;
  /** A program and its first arguments; `null`: we compare ourselves. */
  readonly command: readonly [string, ...string[]] | null;
  /** As written; relative to uwf's working folder. */
  readonly outputDir: string;
  /** In ms; `null`: no limit. */
  readonly timeoutMs: number | null;
};

const WORDS = {
  writer: { type: "string" },
  command: { type: "string" },
  "output-dir": { type: "string" },
  timeout: { type: "string" },
} as const;

/** The words without the two that uwf appends, or a sentence about what is wrong with them. */
export function parseOptions(args: readonly string[]): Result<Options, string> {
  const split = args.indexOf("--");
  const own = split === -1 ? args : args.slice(0, split);
  const words = split === -1 ? [] : args.slice(split + 1);
  try {
    const { values } = parseArgs({ args: [...own], options: WORDS, strict: true, allowPositionals: false });
    const { command, writer, timeout, "output-dir": outputDir } = values;
    const empty = Object.entries(values).find(([, value]) => value === "")?.[0];
    if (empty !== undefined) return err(`--${empty} needs a value`);
    if (command === undefined && (timeout !== undefined || words.length > 0))
      return err("without --command there is no program that --timeout or words after -- could be for");
    const timeoutMs = timeout === undefined ? ok(null) : timeoutMsOf(timeout);
    if (!timeoutMs.ok) return timeoutMs;
    return ok({
      writer: writer ?? null,
      command: command === undefined ? null : [command, ...words],
      outputDir: outputDir ?? "documents",
      timeoutMs: timeoutMs.value,
    });
  } catch (error) {
    return err(lineProblem(error, Object.keys(WORDS)));
  }
}

const AGENT = "uwf-docx-diff";

type Surroundings = { readonly cwd: string; readonly path: string };

/** `uwf-docx-diff --check [options]`: looks up the program; runs nothing. A sentence if the options are wrong. */
export function check(args: readonly string[], around: Surroundings): Result<ProgramReport, string> {
  const options = parseOptions(args);
  if (!options.ok) return options;
  const { command } = options.value;
  return ok(checkProgram(AGENT, command === null ? null : command[0], around));
}
